import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { freeOffset, freePort } from '../test/helpers/free-port.ts';
import { writeCertificate } from './certificate.ts';
import { describeMachine, isInstalled } from './machine.ts';
import { startBackEnd, startHaproxy, startNginx, type PeerPorts } from './peers.ts';
import { proxyScenarios, runProxyScenario, type ProxyResult, type ProxyScenario } from './proxy-scenarios.ts';
import type { Running } from './process.ts';
import { runStartTime, type StartResult } from './start-time.ts';
import { startMillrace, subjectCommand, type SubjectKind } from './subject.ts';
import { proxyTable, startTable } from './table.ts';

/** `npm run bench [-- SCENARIO…] [--subject build|source] [--rounds N] [--seconds N] [--connections N] [--json FILE]` */
const names = [...proxyScenarios.map(({ name }) => name), 'start-time'];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    subject: { type: 'string', default: 'build' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '32' },
    json: { type: 'string' },
  },
});
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0 || (values.subject !== 'build' && values.subject !== 'source')) {
  console.error(`Scenarios: ${names.join(', ')}. Subjects: build, source.`);
  process.exit(2);
}
const chosen = positionals.length > 0 ? positionals : names;
const rounds = Number(values.rounds);

const machine = describeMachine();
console.log(`${machine.processor}, ${machine.cores} cores, load ${machine.load}, Node ${machine.node}`);
if (machine.load > machine.cores * 0.3) console.log('The machine is busy: figures of this run mean little.');

const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
try {
  const proxies = await measureProxies(proxyScenarios.filter(({ name }) => chosen.includes(name)));
  const starts = chosen.includes('start-time') ? await measureStarts() : [];
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify({ machine, proxies, starts }, null, 2)}\n`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measureProxies(scenarios: readonly ProxyScenario[]): Promise<ProxyResult[]> {
  if (scenarios.length === 0) return [];
  if (!isInstalled('wrk', '-v')) {
    console.log(`Left out, since wrk is not installed: ${scenarios.map(({ name }) => name).join(', ')}`);
    return [];
  }
  const started: Running[] = [];
  const keep = <T extends Running | undefined>(running: T): T => {
    if (running) started.push(running);
    return running;
  };
  try {
    const backEnd = keep(await startBackEnd(folder, await freePort())).port;
    const command = subjectCommand(values.subject as SubjectKind, folder);
    const certificate = await writeCertificate(folder);
    const programs = [
      keep(await startMillrace(command, folder, { offset: await freeOffset(), backEnd })),
      keep(await startNginx(folder, await peerPorts(backEnd), certificate)),
      keep(await startHaproxy(folder, await peerPorts(backEnd), certificate)),
    ].filter((program) => program !== undefined);
    const effort = { rounds, seconds: Number(values.seconds), connections: Number(values.connections) };
    const results: ProxyResult[] = [];
    for (const scenario of scenarios.filter(canBeSent))
      results.push(...(await runProxyScenario(scenario, programs, { effort, folder })));
    console.log(`\n${proxyTable(results)}`);
    return results;
  } finally {
    for (const running of started.reverse()) await running.stop();
  }
}

async function peerPorts(backEnd: number): Promise<PeerPorts> {
  return { own: await freePort(), secure: await freePort(), backEnd };
}

function canBeSent({ name, wire }: ProxyScenario): boolean {
  if (wire !== 'h2' || isInstalled('h2load', '--version')) return true;
  console.log(`Left out, since h2load is not installed: ${name}`);
  return false;
}

async function measureStarts(): Promise<StartResult[]> {
  const results = await runStartTime({
    subjects: ['build', 'source'],
    artifacts: 100,
    rounds,
    folder,
    offset: await freeOffset(),
  });
  console.log(`\n${startTable(results)}`);
  return results;
}
