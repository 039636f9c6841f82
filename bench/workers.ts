// `node tools/with-node.mjs bench/workers.ts [--subject build|source] [--rounds N] [--seconds N]`: one worker and two.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { freeOffset, freePort } from '../test/helpers/free-port.ts';
import { sendLoad, type Load } from './load.ts';
import { describeMachine } from './machine.ts';
import { median } from './median.ts';
import { mediationApi, mediationEntries, mediationScenarios } from './mediation-scenarios.ts';
import { startBackEnd, type BackEnd } from './peers.ts';
import { cpuTime, firstAnswer, residentMemory, start, type Running } from './process.ts';
import { proxyApi, subjectCommand } from './subject.ts';
import { alignColumns } from './table.ts';

const { values } = parseArgs({
  options: {
    subject: { type: 'string', default: 'build' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '32' },
  },
});
if (values.subject !== 'build' && values.subject !== 'source') {
  console.error('Subjects: build, source.');
  process.exit(2);
}

/** A server with so many workers. */
interface Node extends Running {
  readonly workers: number;
  readonly url: string;
}

interface Round {
  readonly rate: number;
  readonly cpu: number;
  readonly backEndCpu: number;
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
}

const xslt = mediationScenarios.find(({ name }) => name === 'xslt-10k');
const scenarios: readonly { name: string; path: string; body?: Load['body'] }[] = [
  { name: 'get-600', path: '/bench/small' },
  ...(xslt ? [{ name: xslt.name, path: xslt.path, body: xslt.body }] : []),
];

const { processor, cores, load, node: version } = describeMachine();
console.log(`${processor}, ${cores} cores, load ${load}, Node ${version}`);
const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'));
const running: Running[] = [];
try {
  const backEnd = await startBackEnd(folder, await freePort());
  running.push(backEnd);
  const command = subjectCommand(values.subject, folder);
  const nodes: Node[] = [];
  for (const workers of [1, 2]) {
    const node = await startNode(command, workers, backEnd.port);
    running.push(node);
    nodes.push(node);
  }
  const rows: string[][] = [];
  for (const scenario of scenarios) rows.push(...(await measure(scenario, nodes, backEnd)));
  const head = [
    'scenario',
    'workers',
    'req/s',
    'p50 ms',
    'p99 ms',
    'CPU µs/req',
    'back end µs/req',
    'errors',
    'RSS MB',
  ];
  console.log(`\n${alignColumns([head, ...rows])}`);
} finally {
  for (const each of running.reverse()) await each.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Starts a server of the runtime alone; nobody is bound to a core. */
async function startNode(command: readonly string[], workers: number, backEnd: number): Promise<Node> {
  const home = join(folder, `home-${workers}`);
  const files = {
    'conf/deployment.toml': `[millrace]\nworkers = ${workers}\n`,
    'artifacts/api/bench.xml': proxyApi(backEnd),
    'artifacts/api/mediation.xml': mediationApi(backEnd),
    ...Object.fromEntries(mediationEntries.map((text, index) => [`artifacts/local-entries/entry-${index}.xml`, text])),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const offset = await freeOffset();
  const args = ['start', '--home', home, '--offset', String(offset), '--log-level', 'error'];
  const server = start([...command, ...args], { NODE_COMPILE_CACHE: join(folder, 'cache') });
  const url = `http://127.0.0.1:${8280 + offset}`;
  await firstAnswer(server, `${url}/bench/small`, performance.now());
  return { ...server, workers, url };
}

/** Loads the servers in turn, round after round; the first round is thrown away. */
async function measure(
  { name, path, body }: (typeof scenarios)[number],
  nodes: readonly Node[],
  backEnd: BackEnd,
): Promise<string[][]> {
  const rounds = new Map<Node, Round[]>(nodes.map((node) => [node, []]));
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const node of nodes) {
      const before = cpuOf(node);
      const backEndBefore = cpuTime(backEnd.pid);
      const { requests, seconds, p50, p99, errors } = await sendLoad(loadOf(node.url + path, body), folder);
      if (round === 0) continue;
      rounds.get(node)?.push({
        rate: requests / seconds,
        cpu: (cpuOf(node) - before) / requests,
        backEndCpu: (cpuTime(backEnd.pid) - backEndBefore) / requests,
        p50: p50 / 1000,
        p99: p99 / 1000,
        errors,
      });
    }
  }
  return nodes.map((node) => {
    const of = (key: keyof Round): number => median((rounds.get(node) ?? []).map((round) => round[key]));
    const figures = [of('rate').toFixed(0), of('p50').toFixed(2), of('p99').toFixed(2), of('cpu').toFixed(1)];
    const memory = processesOf(node).map((pid) => residentMemory(pid).toFixed(0));
    return [
      name,
      String(node.workers),
      ...figures,
      of('backEndCpu').toFixed(1),
      of('errors').toFixed(0),
      memory.join(' + '),
    ];
  });
}

function loadOf(url: string, body: Load['body']): Load {
  const { connections, seconds } = values;
  const effort = { connections: Number(connections), seconds: Number(seconds) };
  return body
    ? { url, method: 'POST', bodyBytes: body.text.length, body, ...effort }
    : { url, method: 'GET', bodyBytes: 0, ...effort };
}

function cpuOf(node: Node): number {
  return processesOf(node).reduce((sum, pid) => sum + cpuTime(pid), 0);
}

/** The server and its workers, by their parent. */
function processesOf({ pid }: Node): readonly number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  return [pid, ...children.map(Number)];
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}
