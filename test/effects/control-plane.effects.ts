import { createHmac } from 'node:crypto';
import type { EffectRow } from './effect-row.ts';
import { ask, inServer, pair, ports, startBackEnd, trust, trustStore } from './effect-server.ts';
import { comesTrue } from './patience.ts';

interface Report {
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
}

const material = '0123456789abcdef0123456789abcdef';

/**
 * What a control plane gets that asks for everything.
 *
 * @param count so many reports come, one of them a full one, or with `isExpected` false they do not for a while
 */
async function reports(text: string, { count = 1, isExpected = true } = {}): Promise<readonly Report[]> {
  const all: Report[] = [];
  let isFull = false;
  await using plane = await startBackEnd(
    (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const claims = Buffer.from(request.headers.authorization?.split('.')[1] ?? '', 'base64url').toString();
        const path = request.url ?? '';
        all.push({ path, body: JSON.parse(body) as Report['body'], claims: JSON.parse(claims) as Report['claims'] });
        const isThisFull = path.endsWith('/icp/heartbeat');
        response.end(JSON.stringify({ acknowledged: true, fullHeartbeatRequired: !isThisFull }));
        isFull ||= isThisFull;
      });
    },
    { key: pair.privateKeyPem, cert: pair.certificatePem },
  );
  const configured = text.replace('PLANE', `https://localhost:${plane.port}`);
  await inServer(configured, trustStore, async () => {
    await comesTrue(() => isFull && all.length >= count, isExpected, 2500);
  });
  return all;
}

/** Whether so many reports come. */
async function reported(text: string, { count = 1, isExpected = true }): Promise<boolean> {
  return (await reports(text, { count, isExpected })).length >= count;
}

async function field(text: string, name: string): Promise<unknown> {
  return (await reports(text)).find(({ path }) => path.endsWith('/icp/heartbeat'))?.body[name];
}

async function claim(text: string, name: string): Promise<unknown> {
  return (await reports(text))[0]?.claims[name];
}

/** The status of a call of the management API with a token of the control plane that ended so many seconds ago. */
async function called(text: string, late: number): Promise<number | string> {
  const now = Math.floor(Date.now() / 1000);
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ sub: 'ann', exp: now - late })}`;
  const token = `${signed}.${createHmac('sha256', material).update(signed).digest('base64url')}`;
  return inServer(text, trustStore, async (server) => {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await ask(`${server.url('Management')}/management/users`, { headers });
    return typeof answer === 'string' ? answer : answer.status;
  });
}

const section = '[icp_config]';
const base = `${section}\nicp_url = "PLANE"\nheartbeat_interval = 1\nenabled = true\nsecret = "key-1.${material}"`;

/** The lines of the section without one key. */
function without(name: string, ground = trust): string {
  const lines = base.split('\n').filter((line) => !line.startsWith(`${name} =`));
  return `${ground}${lines.join('\n')}\n`;
}

type Observe = (text: string) => Promise<unknown>;

function row(name: string, values: readonly [EffectRow['first'], EffectRow['second']], observe: Observe): EffectRow {
  const [first, second] = values;
  return { key: `icp_config.${name}`, first, second, given: without(name), observe: (_, text) => observe(text) };
}

const fields: readonly (readonly [key: string, sent: string])[] = [
  ['environment', 'environment'],
  ['project', 'project'],
  ['integration', 'component'],
  ['runtime', 'runtime'],
];
const claims: readonly (readonly [key: string, sent: string])[] = [
  ['jwt_issuer', 'iss'],
  ['jwt_audience', 'aud'],
  ['jwt_scope', 'scope'],
];

export const rows: readonly EffectRow[] = [
  row('enabled', [true, false], (text) => reported(text, { isExpected: text.includes('"enabled" = true') })),
  row('icp_url', ['PLANE', 'PLANE/below'], async (text) => (await reports(text))[0]?.path),
  row('heartbeat_interval', [1, 30], (text) =>
    reported(text, { count: 3, isExpected: text.includes('"heartbeat_interval" = 1\n') }),
  ),
  row('secret', [`a.${material}`, `b.${material}x`], (text) => called(text, -60)),
  row('jwt_clock_skew_tolerance_ms', [1000, 600_000], (text) => called(text, 60)),
  ...fields.map(([key, sent]) => row(key, ['one', 'two'], (text) => field(text, sent))),
  ...claims.map(([key, sent]) => row(key, ['one', 'two'], (text) => claim(text, sent))),
  row('jwt_expiry_seconds', [600, 1200], async (text) => {
    const { claims: sent } = (await reports(text))[0] ?? {};
    return Number(sent?.['exp']) - Number(sent?.['iat']);
  }),
  {
    ...row('ssl_verify', [true, false], (text) =>
      reported(text, { isExpected: text.includes('"ssl_verify" = false') }),
    ),
    // Without the trust store nobody knows the certificate.
    given: without('ssl_verify', ports),
  },
];
