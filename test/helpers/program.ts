import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

/** A program that a test started. */
export interface Program {
  readonly pid: number;
  /** Everything that it has written so far, both streams together. */
  output(): string;
  /** Waits until it ends by itself: its exit code, or the name of the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals>;
  /** Asks it to stop and waits for its end: its exit code, or the name of the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  /** Waits until everything that it started has ended too: nothing can write to its streams any more. */
  silent(): Promise<void>;
}

export interface ProgramOptions {
  readonly cwd?: string;
  /** The whole environment of the program. */
  readonly env: NodeJS.ProcessEnv;
  /** Gives it a process group of its own, as a shell does. */
  readonly detached?: boolean;
}

/** Starts a program without input. */
export function startProgram(command: string, args: readonly string[], options: ProgramOptions): Program {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  child.on('error', (error) => (output += `${error.message}\n`));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // What it wrote last may be on its way yet; whoever outlives it may hold its streams open.
  const heard = async (): Promise<number | NodeJS.Signals> => {
    await Promise.race([closed, sleep(2000, undefined, { ref: false })]);
    return child.exitCode ?? child.signalCode ?? -1;
  };
  return {
    pid: child.pid ?? 0,
    output: () => output,
    async ended() {
      if (isRunning(child)) await once(child, 'exit');
      return heard();
    },
    async stop(signal = 'SIGTERM') {
      if (isRunning(child)) {
        child.kill(signal);
        await once(child, 'exit');
      }
      return heard();
    },
    silent: () => closed,
  };
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/** Asks `url` until it is answered with `status`; fails with what the program wrote when it does not. */
export async function waitForAnswer(
  program: Program,
  url: string,
  wait: { readonly milliseconds: number; readonly status?: number },
): Promise<Response> {
  const end = performance.now() + wait.milliseconds;
  let last = 'nothing was tried';
  while (performance.now() < end) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
      if (response.status === (wait.status ?? 200)) return response;
      last = `status ${response.status}: ${await response.text()}`;
    } catch (error) {
      last = inspect(error, { depth: 1, breakLength: Infinity });
    }
    await sleep(25);
  }
  throw new Error(`${url} did not answer (${last}); the program wrote:\n${program.output()}`);
}

/** Waits until what the program has written matches `pattern`. */
export async function waitForOutput(program: Program, pattern: RegExp, milliseconds: number): Promise<string> {
  const end = performance.now() + milliseconds;
  while (!pattern.test(program.output())) {
    if (performance.now() > end)
      throw new Error(`No ${pattern.source} in what the program wrote:\n${program.output()}`);
    await sleep(25);
  }
  return program.output();
}
