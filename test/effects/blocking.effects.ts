import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { EffectRow } from './effect-row.ts';
import { one, two } from './effect-proxy.ts';
import {
  apiOf,
  inServer,
  outcome,
  pair,
  startBackEnd,
  trust,
  trustStore,
  type Ask,
  type BackEnd,
  type Files,
} from './effect-server.ts';
import { startFullPort, startSilentPort } from './effect-socket.ts';

type Scheme = 'http' | 'https';

/** An API at `/t` that calls an address and waits for it on its own turn. */
function calling(url: string, attributes = ''): Files {
  const call = `<call blocking="true"><endpoint><address uri="${url}" ${attributes}/></endpoint></call><respond/>`;
  return { ...trustStore, ...apiOf(call, '', 'BASE_ERROR_CODE') };
}

interface Observation {
  readonly outcomes: readonly string[];
  readonly connections: BackEnd['connections'];
}

interface Calls extends Ask {
  readonly scheme: Scheme;
  /** Requests, one after the other or all at once. */
  readonly count?: number;
  readonly atOnce?: boolean;
  /** Milliseconds that the back end takes. */
  readonly takes?: number;
  readonly attributes?: string;
  readonly answer?: (request: IncomingMessage) => string;
}

/** What clients and a back end see of blocking calls. */
async function observe(text: string, calls: Calls): Promise<Observation> {
  const { scheme, count = 1, atOnce = false, takes = 0, attributes, answer = () => 'done' } = calls;
  await using backEnd = await startBackEnd(
    (request, response) => {
      request.resume();
      void pause(takes).then(() => response.end(answer(request)));
    },
    ...(scheme === 'https' ? [{ key: pair.privateKeyPem, cert: pair.certificatePem }] : []),
  );
  const outcomes = await inServer(text, calling(backEnd.url, attributes), async (server) => {
    const url = `${server.url('API HTTP')}/t`;
    if (atOnce) return await Promise.all(Array.from({ length: count }, () => outcome(url, calls)));
    const answers: string[] = [];
    for (let index = 0; index < count; index++) answers.push(await outcome(url, calls));
    return answers;
  });
  return { outcomes, connections: backEnd.connections };
}

const post = {
  method: 'POST',
  headers: { 'Content-Type': 'text/plain', 'Transfer-Encoding': 'chunked' },
  body: 'text',
};
const soap = { method: 'POST', headers: { 'Content-Type': 'application/xml', SOAPAction: 'urn:do' }, body: '<a/>' };

function rowsOf(scheme: Scheme): EffectRow[] {
  const section = `transport.blocking_${scheme}`;
  const row = (
    name: string,
    [first, second]: readonly [EffectRow['first'], EffectRow['first']],
    look: (text: string) => unknown,
  ): EffectRow => ({ key: `${section}.sender.${name}`, first, second, given: trust, observe: (_, text) => look(text) });
  const proxied = (text: string): Promise<string> =>
    inServer(text, calling(`${scheme}://localhost:1/a`), (server) => outcome(`${server.url('API HTTP')}/t`));
  const proxy = (
    name: string,
    lines: string,
    values: readonly [EffectRow['first'], EffectRow['first']],
  ): EffectRow => ({
    ...row(name, values, proxied),
    given: `${trust}[${section}]\n${lines}`,
  });
  const host = 'sender.http.proxyHost = "127.0.0.1"\n';
  const port = `sender.http.proxyPort = ${one}\n`;
  return [
    row('enable', [true, false], async (text) => (await observe(text, { scheme })).outcomes),
    row('parameters.cacheHttpClient', [true, false], async (text) => {
      return (await observe(text, { scheme, count: 2 })).connections.total;
    }),
    row('parameters.Transfer-Encoding', ['chunked', 'true'], async (text) => {
      const answer = ({ headers }: IncomingMessage): string => headers['transfer-encoding'] ?? 'none';
      return (await observe(text, { scheme, ...post, answer })).outcomes;
    }),
    row('parameters.defaultMaxConnectionsPerHost', [1, 5], async (text) => {
      return (await observe(text, { scheme, count: 4, atOnce: true, takes: 500 })).connections.most;
    }),
    row('parameters.OmitSOAP12Action', [false, true], async (text) => {
      const answer = ({ headers }: IncomingMessage): string => headers['content-type'] ?? 'none';
      return (await observe(text, { scheme, ...soap, attributes: 'format="soap12"', answer })).outcomes;
    }),
    row('parameters.SO_TIMEOUT', [100, 60_000], async (text) => {
      return (await observe(text, { scheme, takes: 2500 })).outcomes;
    }),
    proxy('http.proxyHost', port, ['127.0.0.1', 'no-such-host.invalid']),
    proxy('http.proxyPort', host, [one, two]),
    proxy('parameters.http.nonProxyHosts', host + port, ['other', 'localhost']),
  ];
}

const secure = 'transport.blocking_https';

export const rows: readonly EffectRow[] = [
  ...rowsOf('http'),
  ...rowsOf('https'),
  {
    key: `${secure}.sender.parameters.PROTOCOL`,
    first: 'HTTP/1.1',
    second: 'HTTP/1.0',
    given: trust,
    observe: async (_, text) => (await observe(text, { scheme: 'https', count: 2 })).connections.total,
  },
  {
    key: `${secure}.sender.parameters.CONNECTION_TIMEOUT`,
    first: 100,
    second: 60_000,
    given: trust,
    async observe(_, text) {
      await using silent = await startSilentPort(3500);
      const files = calling(`https://localhost:${silent.port}`);
      return await inServer(text, files, (server) => outcome(`${server.url('API HTTP')}/t`));
    },
  },
  {
    key: 'transport.blocking_http.sender.parameters.CONNECTION_TIMEOUT',
    first: 100,
    second: 60_000,
    given: trust,
    async observe(_, text) {
      await using full = await startFullPort();
      const files = calling(`http://127.0.0.1:${full.port}`);
      return await inServer(text, files, (server) => {
        full.endAfter(3000);
        return outcome(`${server.url('API HTTP')}/t`);
      });
    },
  },
  ...(['proxyHost', 'proxyPort'] as const).map((name): EffectRow => {
    const isHost = name === 'proxyHost';
    return {
      key: `${secure}.sender.https.${name}`,
      first: isHost ? '127.0.0.1' : one,
      second: isHost ? 'no-such-host.invalid' : two,
      given: `${trust}[${secure}]\n${isHost ? `sender.https.proxyPort = ${one}` : 'sender.https.proxyHost = "127.0.0.1"'}\n`,
      observe: (_, text) =>
        inServer(text, calling('https://localhost:1/a'), (server) => outcome(`${server.url('API HTTP')}/t`)),
    };
  }),
];
