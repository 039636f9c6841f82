import { sendLoad, type Load, type Measured, type Wire } from './load.ts';
import { median } from './median.ts';
import type { Proxy } from './peers.ts';
import { cpuTime, residentMemory, waitTime } from './process.ts';

/** A request that is sent through Millrace and through its peers. */
export interface ProxyScenario {
  readonly name: string;
  readonly method: Load['method'];
  readonly path: string;
  readonly bodyBytes: number;
  /** What the client speaks; HTTP/1.1 in the clear when absent. */
  readonly wire?: Wire;
  /** Connections that are kept busy, where their number is what is measured. */
  readonly connections?: number;
}

/** Every scenario, one line each. */
export const proxyScenarios: readonly ProxyScenario[] = [
  { name: 'get-600', method: 'GET', path: '/small', bodyBytes: 0 },
  { name: 'get-100k', method: 'GET', path: '/large', bodyBytes: 0 },
  { name: 'post-500', method: 'POST', path: '/accept', bodyBytes: 500 },
  { name: 'post-10k', method: 'POST', path: '/accept', bodyBytes: 10 * 1024 },
  { name: 'post-100k', method: 'POST', path: '/accept', bodyBytes: 100 * 1024 },
  { name: 'post-1m', method: 'POST', path: '/accept', bodyBytes: 1024 * 1024 },
  { name: 'get-600-tls', method: 'GET', path: '/small', bodyBytes: 0, wire: 'tls' },
  { name: 'get-100k-tls', method: 'GET', path: '/large', bodyBytes: 0, wire: 'tls' },
  { name: 'get-600-h2', method: 'GET', path: '/small', bodyBytes: 0, wire: 'h2' },
  { name: 'get-100k-h2', method: 'GET', path: '/large', bodyBytes: 0, wire: 'h2' },
  { name: 'get-600-c50', method: 'GET', path: '/small', bodyBytes: 0, connections: 50 },
  { name: 'get-600-c200', method: 'GET', path: '/small', bodyBytes: 0, connections: 200 },
  { name: 'get-600-c1000', method: 'GET', path: '/small', bodyBytes: 0, connections: 1000 },
];

/** What a scenario showed of one program: medians over the rounds. */
export interface ProxyResult {
  readonly scenario: string;
  readonly program: string;
  readonly requestsPerSecond: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of processor time for each request. */
  readonly cpuPerRequest: number;
  /** Part of the time in which the main thread had work and no core. */
  readonly waited: number;
  /** Megabytes after the load. */
  readonly memory: number;
  readonly errors: number;
}

export interface Effort {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

/** Runs one scenario through all programs, in turn and round after round, so that each sees the same machine. */
export async function runProxyScenario(
  scenario: ProxyScenario,
  programs: readonly Proxy[],
  options: { readonly effort: Effort; readonly folder: string },
): Promise<ProxyResult[]> {
  const { effort, folder } = options;
  const loadOf = (program: Proxy, seconds: number): Load => ({
    url: (scenario.wire === undefined ? program.url : program.secureUrl) + scenario.path,
    method: scenario.method,
    bodyBytes: scenario.bodyBytes,
    connections: scenario.connections ?? effort.connections,
    seconds,
    ...(scenario.wire === undefined ? {} : { wire: scenario.wire }),
  });
  for (const program of programs) await sendLoad(loadOf(program, effort.seconds), folder);
  const rounds = new Map(programs.map((program) => [program, [] as (Measured & { cpu: number; wait: number })[]]));
  for (let round = 0; round < effort.rounds; round++) {
    for (const program of programs) {
      const before = cpuTime(program.pid);
      const waitBefore = waitTime(program.pid);
      const measured = await sendLoad(loadOf(program, effort.seconds), folder);
      const wait = waitTime(program.pid) - waitBefore;
      rounds.get(program)?.push({ ...measured, cpu: cpuTime(program.pid) - before, wait });
    }
  }
  return programs.map((program) => {
    const all = rounds.get(program) ?? [];
    return {
      scenario: scenario.name,
      program: program.name,
      requestsPerSecond: median(all.map(({ requests, seconds }) => requests / seconds)),
      p50: median(all.map(({ p50 }) => p50)),
      p99: median(all.map(({ p99 }) => p99)),
      cpuPerRequest: median(all.map(({ cpu, requests }) => cpu / requests)),
      waited: median(all.map(({ wait, seconds }) => wait / (seconds * 1e6))),
      memory: residentMemory(program.pid),
      errors: all.reduce((sum, { errors }) => sum + errors, 0),
    };
  });
}
