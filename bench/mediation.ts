// `node tools/with-node.mjs bench/mediation.ts [SCENARIO…] [--subject build|source] [--rounds N] [--seconds N]`
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freeOffset, freePort } from '../test/helpers/program.ts';
import { sendLoad, type Load } from './load.ts';
import { coreOf, describeMachine, isInstalled } from './machine.ts';
import { median } from './median.ts';
import {
  mediationApi,
  mediationEntries,
  mediationScenarios,
  mediationServices,
  type MediationScenario,
} from './mediation-scenarios.ts';
import { startBackEnd } from './peers.ts';
import { cpuTime, pinned, start, type Running } from './process.ts';
import { subjectCommand, writeProject } from './subject.ts';
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
const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
const running: Running[] = [];
try {
  const backEnd = await startBackEnd(folder, await freePort());
  running.push(backEnd);
  const offset = await freeOffset();
  const project = writeProject(
    join(folder, 'project'),
    [mediationApi(backEnd.port), ...mediationServices(backEnd.port)],
    mediationEntries,
  );
  const command = subjectCommand(values.subject, folder);
  const subject = start(
    pinned(coreOf('measured'), [...command, 'run', project, '--offset', String(offset), '--log-level', 'error']),
    { NODE_COMPILE_CACHE: join(folder, 'cache') },
  );
  running.push(subject);
  const url = `http://127.0.0.1:${8280 + offset}`;
  await untilAnswered(url, subject);
  const chosen = mediationScenarios.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const rows: string[][] = [];
  for (const scenario of chosen) rows.push(await measure(scenario, url, subject.pid));
  console.log(
    `\n${alignColumns([['scenario', 'body', 'req/s', 'CPU µs/req', 'p50 ms', 'p99 ms', 'errors'], ...rows])}`,
  );
} finally {
  for (const each of running.reverse()) await each.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Waits until anything answers; the API takes nothing but `POST`. */
async function untilAnswered(url: string, subject: Running): Promise<void> {
  for (let tries = 0; tries < 3000 && !subject.hasEnded(); tries++) {
    const isUp = await fetch(`${url}/mediation/payload`).then(
      (answer) => answer.status === 405,
      () => false,
    );
    if (isUp) return;
    await sleep(10);
  }
  throw new Error(`${url} did not answer`);
}

/** Medians over the rounds; the first run is thrown away. */
async function measure({ name, path, body }: MediationScenario, url: string, pid: number): Promise<string[]> {
  const request: Load = {
    url: url + path,
    method: 'POST',
    bodyBytes: body.text.length,
    body,
    connections: Number(values.connections),
    seconds: Number(values.seconds),
  };
  await sendLoad(request, folder);
  const rounds: { rate: number; cpu: number; p50: number; p99: number; errors: number }[] = [];
  for (let round = 0; round < Number(values.rounds); round++) {
    const before = cpuTime(pid);
    const { requests, seconds, p50, p99, errors } = await sendLoad(request, folder);
    rounds.push({ rate: requests / seconds, cpu: (cpuTime(pid) - before) / requests, p50, p99, errors });
  }
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
