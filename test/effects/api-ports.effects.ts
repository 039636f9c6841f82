import { readApiListenerOptions } from '../../src/server/transport-settings.ts';
import type { EffectRow } from './effect-row.ts';
import { apiOf, ask, inServer, outcome, ports, startBackEnd, type Files } from './effect-server.ts';

const pages: Files = {
  'extensions/pages.mjs': `
export class One {
  process({ path, query }) {
    if (query === 'wsdl') return undefined;
    return { contentType: 'text/plain', body: 'one ' + path + ' ' + query };
  }
}
export class Two { process() { return { status: 410, contentType: 'text/plain', body: 'two' }; } }
`,
};

/** How many of four messages that a back end keeps waiting are refused. */
async function refusedOfFour(text: string): Promise<unknown> {
  await using backEnd = await startBackEnd((_request, response) => void setTimeout(() => response.end('ok'), 1000));
  const flow = `<call blocking="true"><endpoint><address uri="${backEnd.url}"/></endpoint></call><respond/>`;
  return await inServer(text, apiOf(flow), async (server) => {
    const url = `${server.url('API HTTPS')}/t`;
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(url)));
    return answers
      .map((answer) => (typeof answer === 'string' ? answer : String(answer.status)))
      .toSorted((left, right) => left.localeCompare(right));
  });
}

const secure = 'transport.passthru_https.listener';
export const rows: readonly EffectRow[] = [
  ...(['http', 'https'] as const).map((scheme): EffectRow => ({
    key: `transport.passthru_${scheme}.listener.parameters.httpGetProcessor`,
    first: './pages.mjs#One',
    second: './pages.mjs#Two',
    given: ports,
    observe: (_, text) =>
      inServer(text, pages, (server) =>
        outcome(`${server.url(scheme === 'http' ? 'API HTTP' : 'API HTTPS')}/services/Orders?info`),
      ),
  })),
  {
    key: `${secure}.request_max_thread_pool_size`,
    first: 1,
    second: 4,
    given: ports,
    observe: (_, text) => refusedOfFour(text),
  },
  {
    key: `${secure}.request_core_thread_pool_size`,
    first: 1,
    second: 4,
    given: ports,
    observe: (_, text) => refusedOfFour(text),
  },
  {
    key: `${secure}.request_tcp_no_delay`,
    first: true,
    second: false,
    observe: (config) => readApiListenerOptions(config, 'https').noDelay,
  },
];
