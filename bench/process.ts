import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { isInstalled } from './machine.ts';

/** A program of a benchmark that runs. */
export interface Running {
  readonly pid: number;
  hasEnded(): boolean;
  stop(): Promise<void>;
}

const hasTaskset = isInstalled('taskset', '--version');

/** Clock ticks per second of `/proc/<pid>/stat`; Linux shows 100 to programs on every machine. */
const ticksPerSecond = 100;

/** The command that runs `command` on one core, or the command itself where `taskset` is not installed. */
export function pinned(core: number, command: readonly string[]): readonly string[] {
  return hasTaskset ? ['taskset', '-c', String(core), ...command] : command;
}

/** Starts a program; what it writes to its error stream is shown. `taskset` becomes the program, so the id is right. */
export function start(command: readonly string[], environment: NodeJS.ProcessEnv = {}): Running {
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...environment },
  });
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? 0,
    hasEnded,
    async stop() {
      if (hasEnded()) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Processor time that the process has used, all threads, in microseconds; 10 ms steps. */
export function cpuTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain blanks, so counting begins behind it: fields 14 and 15 are user and system.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6;
}

/**
 * Microseconds for which the main thread of the process could have gone on and had no core, since others had it: its own
 * helpers, and whatever else runs on the machine. 0 where the system does not say.
 */
export function waitTime(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1000;
  } catch (error) {
    // Kernels without these statistics have no such file; a process that has ended is noticed by its load.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
}

/** Resident memory of the process in megabytes. */
export function residentMemory(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes ?? 0) / 1024;
}

/** Waits until the program answers `url` with 200, asking every 2 ms; gives back the milliseconds since `began`. */
export async function firstAnswer(running: Running, url: string, began: number): Promise<number> {
  while (performance.now() - began < 60_000 && !running.hasEnded()) {
    if ((await statusOf(url)) === 200) return performance.now() - began;
    await sleep(2);
  }
  throw new Error(`${url} did not answer`);
}

function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', () => resolve(undefined));
  });
}
