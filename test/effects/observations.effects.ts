import { setTimeout as pause } from 'node:timers/promises';
import { bearer, call, twoUsers } from '../helpers/management-calls.ts';
import type { EffectRow } from './effect-row.ts';
import { apiOf, ask, inServer, ports, type Files } from './effect-server.ts';

const accounts = `${ports}
${twoUsers()}`;

/** A flow with something to record. */
const flow = apiOf(
  '<property name="seen" value="1"/><variable name="found" value="2"/><payloadFactory media-type="json"><format>{"a":1}</format></payloadFactory><respond/>',
);

const traced: Files = {
  'artifacts/api/t.xml': String(flow['artifacts/api/t.xml']).replace('context="/t"', 'context="/t" trace="enable"'),
};
const counted: Files = {
  'artifacts/api/t.xml': String(flow['artifacts/api/t.xml']).replace(
    'context="/t"',
    'context="/t" statistics="enable"',
  ),
};

/** The parts of a message that a trace recorded. */
function recordedParts(text: string): Promise<readonly string[]> {
  return inServer(text, traced, async (server) => {
    await ask(`${server.url('API HTTP')}/t`);
    const headers = await bearer(server);
    const { steps } = JSON.parse((await call(server, 'GET /millrace/traces/1', { headers })).body) as {
      steps: { before?: object; after?: object }[];
    };
    const parts = steps.flatMap(({ before, after }) => [...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
    return [...new Set(parts.filter((part) => /^(?:payload|default:seen|variable:found)$/.test(part)))];
  });
}

/** How many mediators were counted, and the counts of the current window after `wait` milliseconds. */
function countedMediators(text: string, files: Files, wait = 0): Promise<readonly unknown[]> {
  return inServer(text, files, async (server) => {
    await ask(`${server.url('API HTTP')}/t`);
    await pause(wait);
    const headers = await bearer(server);
    const { list } = JSON.parse((await call(server, 'GET /millrace/counters', { headers })).body) as {
      list: { count: number; window: { count: number } }[];
    };
    return list.map(({ count, window }) => [count, window.count]);
  });
}

export const rows: readonly EffectRow[] = [
  {
    key: 'mediation.flow.statistics.enable',
    first: true,
    second: false,
    given: accounts,
    observe: (_, text) => countedMediators(text, counted),
  },
  {
    key: 'mediation.flow.statistics.capture_all',
    first: true,
    second: false,
    given: accounts.replace('[mediation]\n', '[mediation]\nflow.statistics.enable = true\n'),
    observe: (_, text) => countedMediators(text, flow),
  },
  {
    key: 'mediation.statistics.enable_clean',
    first: true,
    second: false,
    given: accounts.replace(
      '[mediation]\n',
      '[mediation]\nflow.statistics.enable = true\nstatistics.clean_interval = "20ms"\n',
    ),
    observe: (_, text) => countedMediators(text, counted, 200),
  },
  {
    key: 'mediation.statistics.clean_interval',
    first: '20ms',
    second: '60s',
    given: accounts.replace('[mediation]\n', '[mediation]\nflow.statistics.enable = true\n'),
    observe: (_, text) => countedMediators(text, counted, 200),
  },
  {
    key: 'mediation.stat.tracer.collect_payloads',
    first: true,
    second: false,
    given: accounts,
    observe: (_, text) => recordedParts(text),
  },
  {
    key: 'mediation.stat.tracer.collect_mediation_properties',
    first: true,
    second: false,
    given: accounts,
    observe: (_, text) => recordedParts(text),
  },
  {
    key: 'mediation.stat.tracer.collect_mediation_variables',
    first: true,
    second: false,
    given: accounts,
    observe: (_, text) => recordedParts(text),
  },
];
