// `node tools/with-node.mjs bench/observation.ts [--subject build|source] [--rounds N] [--seconds N]`
// What counting and tracing cost: one API, once as it is, once counted and once traced, taking turns.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { describeMachine, isInstalled } from './machine.ts';
import { median } from './median.ts';
import { mediationApi, mediationEntries, mediationScenarios } from './mediation-scenarios.ts';
import { setMediationStage, type MediationRound } from './mediation-stage.ts';
import { alignColumns } from './table.ts';

const { values } = parseArgs({
  options: {
    subject: { type: 'string', default: 'build' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '32' },
  },
});
if ((values.subject !== 'build' && values.subject !== 'source') || !isInstalled('wrk', '-v')) {
  console.error('Subjects: build, source. wrk must be installed.');
  process.exit(2);
}

/** What is written on the API, by the context under which it then answers. */
const kinds = { mediation: '', counted: ' statistics="enable"', traced: ' trace="enable" statistics="enable"' };

const { processor, cores, load, node } = describeMachine();
console.log(`${processor}, ${cores} cores, load ${load}, Node ${node}`);
await using stage = await setMediationStage(values.subject, (backEnd) => ({
  apis: Object.entries(kinds).map(([name, attributes]) =>
    mediationApi(backEnd).replace(
      'name="Mediation" context="/mediation"',
      `name="${name}" context="/${name}"${attributes}`,
    ),
  ),
  entries: mediationEntries,
}));
const scenario = mediationScenarios.find(({ name }) => name.startsWith('payload'));
if (!scenario) throw new Error('there is no scenario of payloadFactory');
const { body, path } = scenario;
const results = new Map<string, MediationRound[]>(Object.keys(kinds).map((name) => [name, []]));
for (let round = 0; round <= Number(values.rounds); round++) {
  for (const [name, rounds] of results) {
    const result = await stage.send({
      url: stage.url + path.replace('/mediation', `/${name}`),
      method: 'POST',
      bodyBytes: body.text.length,
      body,
      connections: Number(values.connections),
      seconds: Number(values.seconds),
    });
    // The first round warms up.
    if (round > 0) rounds.push(result);
  }
}
const rows = [...results].map(([name, rounds]) => [
  name === 'mediation' ? 'neither' : name,
  median(rounds.map(({ rate }) => rate)).toFixed(0),
  median(rounds.map(({ cpu }) => cpu)).toFixed(1),
  String(rounds.reduce((sum, { errors }) => sum + errors, 0)),
]);
console.log(`\n${alignColumns([['', 'req/s', 'CPU µs/req', 'errors'], ...rows])}`);
