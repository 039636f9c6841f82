// `node tools/with-node.mjs bench/mediation.ts [SCENARIO…] [--subject build|source] [--rounds N] [--seconds N]`
import process from 'node:process';
import { parseArgs } from 'node:util';
import type { Load } from './load.ts';
import { describeMachine, isInstalled } from './machine.ts';
import { median } from './median.ts';
import {
  mediationApi,
  mediationEntries,
  mediationScenarios,
  mediationServices,
  type MediationScenario,
} from './mediation-scenarios.ts';
import { setMediationStage, type MediationRound, type MediationStage } from './mediation-stage.ts';
import { alignColumns } from './table.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    subject: { type: 'string', default: 'build' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
  },
});
const names = mediationScenarios.map(({ name }) => name);
const isKnown = positionals.every((name) => names.includes(name));
if (!isKnown || (values.subject !== 'build' && values.subject !== 'source') || !isInstalled('wrk', '-v')) {
  console.error(`Scenarios: ${names.join(', ')}. Subjects: build, source. wrk must be installed.`);
  process.exit(2);
}

const { processor, cores, load, node } = describeMachine();
console.log(`${processor}, ${cores} cores, load ${load}, Node ${node}`);
await using stage = await setMediationStage(values.subject, (backEnd) => ({
  apis: [mediationApi(backEnd), ...mediationServices(backEnd)],
  entries: mediationEntries,
}));
const chosen = mediationScenarios.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const rows: string[][] = [];
for (const scenario of chosen) rows.push(await measure(scenario, stage));
console.log(`\n${alignColumns([['scenario', 'body', 'req/s', 'CPU µs/req', 'p50 ms', 'p99 ms', 'errors'], ...rows])}`);

/** Medians over the rounds; the first run is thrown away. */
async function measure({ name, path, body }: MediationScenario, stage: MediationStage): Promise<string[]> {
  const times = { connections: Number(values.connections), seconds: Number(values.seconds) };
  const request: Load = { url: stage.url + path, method: 'POST', bodyBytes: body.text.length, body, ...times };
  await stage.send(request);
  const rounds: MediationRound[] = [];
  for (let round = 0; round < Number(values.rounds); round++) rounds.push(await stage.send(request));
  return [
    name,
    String(body.text.length),
    median(rounds.map(({ rate }) => rate)).toFixed(0),
    median(rounds.map(({ cpu }) => cpu)).toFixed(1),
    (median(rounds.map(({ p50 }) => p50)) / 1000).toFixed(2),
    (median(rounds.map(({ p99 }) => p99)) / 1000).toFixed(2),
    String(rounds.reduce((sum, { errors }) => sum + errors, 0)),
  ];
}
