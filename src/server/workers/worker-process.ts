import { fork, type ChildProcess } from 'node:child_process';
import process from 'node:process';
import type { MetricSnapshot } from '#core';
import { MillraceError } from '#errors';
import { Channel, type Methods } from './channel.ts';
import type { WorkerOrder, WorkerReport } from './worker.ts';

/** How a worker is started: a script and its arguments. */
export interface WorkerCommand {
  readonly script: string;
  readonly args: readonly string[];
}

/** One worker, as the supervisor sees it. */
export class WorkerProcess {
  readonly key: number;
  readonly #child: ChildProcess;
  readonly #channel: Channel;
  readonly #ended: Promise<void>;
  #isStopping = false;

  constructor(key: number, { script, args }: WorkerCommand, methods: Methods) {
    this.key = key;
    this.#child = fork(script, args, { serialization: 'advanced', stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = promise;
    this.#child.once('exit', () => resolve());
    // A process that could not be made has no exit.
    this.#child.once('error', () => resolve());
    this.#channel = new Channel(this.#child, methods);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** True once its end was asked for. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  get isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** What ended it, for people. */
  get ending(): string {
    return this.#child.signalCode ?? `exit code ${this.#child.exitCode}`;
  }

  onEnd(listener: () => void): void {
    this.#child.once('exit', listener);
  }

  /** @throws MillraceError as the worker's start does, or when it ends meanwhile */
  async start(order: WorkerOrder): Promise<WorkerReport> {
    try {
      return await this.#channel.call<WorkerReport>('start', order);
    } catch (error) {
      if (!(error instanceof MillraceError) || error.code !== 'MR_WORKER_GONE') throw error;
      await this.#ended;
      throw new MillraceError({
        code: 'MR_WORKER_START',
        message: `Worker ${order.worker} ended while it started: ${this.ending}`,
      });
    }
  }

  post(name: string, ...args: readonly unknown[]): void {
    this.#channel.post(name, ...args);
  }

  call<T>(name: string, ...args: readonly unknown[]): Promise<T> {
    return this.#channel.call<T>(name, ...args);
  }

  snapshot(): Promise<readonly MetricSnapshot[]> {
    return this.#channel.call('snapshot');
  }

  /** Lets it finish what is in flight; ends it when that takes longer than `milliseconds`. */
  async stop(milliseconds: number): Promise<void> {
    this.#isStopping = true;
    if (this.isOver) return;
    const timer = setTimeout(() => this.kill(), milliseconds);
    try {
      await this.#channel.call('stop');
      this.#channel.post('leave');
    } finally {
      await this.#ended;
      clearTimeout(timer);
    }
  }

  /** Ends it at once. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

/** The script that runs now, with the command that makes a worker of it. */
export function workerCommand(level: string): WorkerCommand {
  return { script: process.argv[1] ?? '', args: ['worker', '--log-level', level] };
}
