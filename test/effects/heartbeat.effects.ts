import type { EffectRow } from './effect-row.ts';
import { inServer, pair, startBackEnd, trust, trustStore } from './effect-server.ts';
import { comesTrue } from './patience.ts';

/** The heartbeats that a dashboard got until there were `count`, which with `isExpected` false takes too long. */
async function heartbeats(text: string, { count = 1, isExpected = true } = {}): Promise<readonly unknown[]> {
  const beats: Record<string, unknown>[] = [];
  await using dashboard = await startBackEnd(
    (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        beats.push({ ...(JSON.parse(body) as object), at: request.url, proof: request.headers.authorization });
        response.end('{"status":"success"}');
      });
    },
    { key: pair.privateKeyPem, cert: pair.certificatePem },
  );
  const configured = text.replace('DASHBOARD', `https://localhost:${dashboard.port}`);
  await inServer(configured, trustStore, async () => {
    await comesTrue(() => beats.length >= count, isExpected, 3000);
  });
  return beats;
}

const dashboard = `${trust}[dashboard_config]\ndashboard_url = "DASHBOARD/dashboard/api/"\n`;

/** One field of the first heartbeat. */
async function heartbeatField(text: string, name: string): Promise<unknown> {
  const [beat] = (await heartbeats(text)) as Record<string, unknown>[];
  return beat?.[name];
}

export const rows: readonly EffectRow[] = [
  {
    key: 'dashboard_config.dashboard_url',
    first: 'DASHBOARD/one',
    second: 'DASHBOARD/two',
    given: trust,
    observe: (_, text) => heartbeatField(text, 'at'),
  },
  {
    key: 'millrace.heartbeat_secret',
    first: 'one',
    second: 'two',
    given: dashboard,
    observe: (_, text) => heartbeatField(text, 'proof'),
  },
  {
    key: 'dashboard_config.heartbeat_interval',
    first: 1,
    second: 30,
    given: dashboard,
    observe: async (_, text) =>
      (await heartbeats(text, { count: 2, isExpected: text.includes('"heartbeat_interval" = 1\n') })).length > 1,
  },
  {
    key: 'dashboard_config.group_id',
    first: 'blue',
    second: 'green',
    given: dashboard,
    observe: (_, text) => heartbeatField(text, 'groupId'),
  },
  {
    key: 'dashboard_config.node_id',
    first: 'one',
    second: 'two',
    given: dashboard,
    observe: (_, text) => heartbeatField(text, 'nodeId'),
  },
  {
    key: 'dashboard_config.management_hostname',
    first: 'one.example',
    second: 'two.example',
    given: dashboard,
    observe: (_, text) => heartbeatField(text, 'mgtApiUrl'),
  },
  {
    key: 'dashboard_config.management_port',
    first: 1443,
    second: 2443,
    given: dashboard,
    observe: (_, text) => heartbeatField(text, 'mgtApiUrl'),
  },
];
