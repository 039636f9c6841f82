import { bearer, call, twoUsers } from '../helpers/management-calls.ts';
import type { EffectRow } from './effect-row.ts';
import { apiOf, ask, inServer, ports, type Files } from './effect-server.ts';

const accounts = `${ports}
${twoUsers()}`;
const files: Files = {
  'artifacts/api/t.xml': String(apiOf('<log/><respond/>')['artifacts/api/t.xml']).replace(
    'context="/t"',
    'context="/t" trace="enable"',
  ),
};
const rule = '[[millrace.masking]]\nname = "card"\n';
const collecting = accounts.replace(
  '[mediation]\n',
  '[mediation]\nstat.tracer.collect_payloads = true\nstat.tracer.collect_mediation_properties = true\n',
);

/** What a trace shows of a message with a header of each kind. */
function shownParts(text: string, body = ''): Promise<readonly unknown[]> {
  return inServer(text, files, async (server) => {
    const headers = { 'X-Card': '4111', 'X-Other': '4222', 'X-Password': 'abc', 'Content-Type': 'application/xml' };
    await ask(`${server.url('API HTTP')}/t`, { headers, ...(body === '' ? {} : { method: 'POST', body }) });
    const trace = await call(server, 'GET /millrace/traces/1', { headers: await bearer(server) });
    const { steps } = JSON.parse(trace.body) as { steps: { before?: Record<string, string> }[] };
    const before = steps[0]?.before ?? {};
    return ['header:X-Card', 'header:X-Other', 'header:X-Password', 'payload'].map((part) => before[part]);
  });
}

const xml = '<p:a xmlns:p="urn:a"><p:pan>4111</p:pan></p:a>';

export const rows: readonly EffectRow[] = [
  {
    key: 'millrace.mask_secret_names',
    first: true,
    second: false,
    given: collecting,
    observe: (_, text) => shownParts(text),
  },
  {
    key: 'millrace.masking.name',
    first: 'card',
    second: 'number',
    given: `${collecting}\n[[millrace.masking]]\nkind = "header"\nexpression = "X-Card"\n`,
    observe: (_, text) => shownParts(text),
  },
  {
    key: 'millrace.masking.kind',
    first: 'header',
    second: 'property',
    given: `${collecting}\n${rule}expression = "X-Card"\n`,
    observe: (_, text) => shownParts(text),
  },
  {
    key: 'millrace.masking.expression',
    first: 'X-Card',
    second: 'X-Other',
    given: `${collecting}\n${rule}kind = "header"\n`,
    observe: (_, text) => shownParts(text),
  },
  {
    key: 'millrace.masking.namespaces.p',
    first: 'urn:a',
    second: 'urn:b',
    given: `${collecting}\n${rule}kind = "xpath"\nexpression = "//p:pan"\n`,
    observe: (_, text) => shownParts(text, xml),
  },
];
