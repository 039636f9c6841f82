import process from 'node:process';
import {
  createHome,
  createMetrics,
  getLogger,
  mergeMetrics,
  metricsText,
  observeProcess,
  snapshotMetrics,
  systemClock,
  type LogFiles,
  type MetricSnapshot,
} from '#core';
import { messageOf, toError } from '#errors';
import type { ServerOptions } from '../start.ts';
import type { InitialPassword } from '../admin-account.ts';
import type { ServerAddress } from '../context.ts';
import { logAddresses } from '../log-addresses.ts';
import { beginLogFiles, openLogFiles } from '../log-files.ts';
import { readUsable } from './count-workers.ts';
import { createNodeHost } from './node-host.ts';
import { NodePeers } from './node-peers.ts';
import { WorkerProcess, type WorkerCommand } from './worker-process.ts';
import type { WorkerReport } from './worker.ts';

const log = getLogger('server.workers');

/** Milliseconds before the first restart of a worker that has ended, doubled with each further one, and their limit. */
const firstPause = 100;
const longestPause = 30_000;
/** A worker that ran so long begins with the first pause again. */
const steadyTime = 60_000;
/** How often workers are asked what they measured, and for how long a worker may say nothing before it is ended. */
const askInterval = 5_000;
const longestSilence = 60_000;
/** For how long the answer to a reader of the metrics waits for a worker. */
const askPatience = 1_000;
/** What a stop may take beyond the time for what is in flight. */
const stopGrace = 10_000;

/** Workers that serve on the same ports. */
export interface Supervised {
  readonly addresses: readonly ServerAddress[];
  readonly initialPassword: InitialPassword | undefined;
  readonly initialPasswordFile: string;
  readonly drainTime: number;
  /** Puts a new process into the place of each worker, one after the other; the ports answer all the time. */
  replaceAll(): Promise<void>;
  stop(): Promise<void>;
}

/** How many workers, and how each is started. */
export interface WorkerPlan {
  readonly count: number;
  readonly command: WorkerCommand;
}

/**
 * Starts `count` workers on the same ports, and starts one again that has ended. The first one makes what a home needs
 * and chooses the ports; the others follow when it is ready.
 *
 * @throws as `startServer`, when a worker does not start
 */
export async function supervise(options: ServerOptions, plan: WorkerPlan): Promise<Supervised> {
  const files = await beginFiles(options);
  const supervisor = new Supervisor(options, plan);
  const stop = async (drainTime: number): Promise<void> => {
    await supervisor.stop(drainTime);
    await files?.[Symbol.asyncDispose]();
  };
  try {
    const report = await supervisor.begin();
    return {
      ...report,
      replaceAll: () => supervisor.replaceAll(),
      stop: () => stop(report.drainTime),
    };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

/** The log files of the node: this process puts full ones aside, its workers write them too. */
async function beginFiles(options: ServerOptions): Promise<LogFiles | undefined> {
  const config = options.logFiles === true ? readUsable(options) : undefined;
  return config && beginLogFiles(openLogFiles(createHome(options.home), true), config);
}

class Supervisor {
  readonly #options: ServerOptions;
  readonly #plan: WorkerPlan;
  readonly #host = createNodeHost(systemClock, (narratives) => this.#tellAll('narrated', narratives));
  readonly #metrics = createMetrics();
  readonly #observed = observeProcess(this.#metrics);
  readonly #peers = new NodePeers(() => this.#processes);
  readonly #restarts = this.#metrics
    .counter({ name: 'millrace_worker_restarts_total', help: 'Workers that ended and were started again' })
    .with();
  readonly #answers = new Map<string, Promise<string>>();
  /** Every process by its key; a place may have two while one takes over from the other. */
  readonly #processes = new Map<number, WorkerProcess>();
  /** The process of each place. */
  readonly #places: (WorkerProcess | undefined)[] = [];
  readonly #pauses = new Map<number, number>();
  #ports: ReadonlyMap<string, number> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #lastKey = 0;
  #isStopping = false;
  #drainTime = 0;
  #replacing: Promise<void> | undefined;

  constructor(options: ServerOptions, plan: WorkerPlan) {
    this.#options = options;
    this.#plan = plan;
    const running = this.#metrics.gauge({ name: 'millrace_workers', help: 'Workers that run' }).with();
    const sessions = this.#metrics
      .gauge({ name: 'millrace_management_sessions', help: 'Tokens of the management API that are kept' })
      .with();
    this.#metrics.onCollect(() => {
      running.set(this.#processes.size);
      sessions.set(this.#host.sessions.size);
    });
  }

  async begin(): Promise<WorkerReport> {
    const began = performance.now();
    const report = await this.#start(0);
    this.#drainTime = report.drainTime;
    this.#ports = new Map(report.addresses.map(({ name, port }) => [name, port]));
    const others = Array.from({ length: this.#plan.count - 1 }, (_, index) => index + 1);
    await Promise.all(others.map((place) => this.#start(place)));
    this.#timer = setInterval(() => void this.#ask(longestSilence), askInterval);
    this.#timer.unref();
    logAddresses(report.addresses);
    const milliseconds = Math.round(performance.now() - began);
    log.info({ workers: this.#plan.count, milliseconds, pid: process.pid }, 'started');
    return report;
  }

  async stop(drainTime: number): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    const all = [...this.#processes.values()];
    const outcomes = await Promise.allSettled(all.map((worker) => worker.stop(drainTime + stopGrace)));
    this.#observed[Symbol.dispose]();
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') log.warn({ err: toError(outcome.reason) }, 'a worker did not stop in order');
    }
    log.info({}, 'stopped');
  }

  replaceAll(): Promise<void> {
    this.#replacing ??= this.#replaceAll().finally(() => {
      this.#replacing = undefined;
    });
    return this.#replacing;
  }

  async #replaceAll(): Promise<void> {
    for (const [place, old] of this.#places.entries()) {
      if (this.#isStopping) return;
      try {
        await this.#start(place);
      } catch (error) {
        log.error({ worker: place, cause: messageOf(error) }, 'the workers stay as they are: a new one does not start');
        return;
      }
      await old?.stop(this.#drainTime + stopGrace);
    }
    log.info({ workers: this.#plan.count }, 'every worker was replaced');
  }

  async #start(place: number): Promise<WorkerReport> {
    const key = ++this.#lastKey;
    const began = performance.now();
    const worker = new WorkerProcess(key, this.#plan.command, {
      ...this.#host.methodsOf(key),
      ...this.#peers.methodsOf(key),
      metrics: () => this.#readMetrics(),
      artifacts: () => this.#tellAll('deploy', undefined, key),
      prompt: (question: string) => this.#prompt(question),
    });
    this.#processes.set(key, worker);
    let isReady = false;
    worker.onEnd(() => {
      this.#processes.delete(key);
      this.#host.left(key);
      this.#peers.left(key);
      if (this.#places[place] !== worker) return;
      this.#places[place] = undefined;
      if (isReady && !worker.isStopping) this.#restart(place, worker, performance.now() - began);
    });
    const { prompt, node: _node, environment, ...options } = this.#options;
    try {
      const report = await worker.start({
        options: { ...options, environment: { ...environment } },
        canPrompt: prompt !== undefined,
        worker: place,
        isFirst: place === 0,
        ports: this.#ports,
      });
      await this.#peers.catchUp(worker);
      isReady = true;
      this.#places[place] = worker;
      log.debug({ worker: place, pid: worker.pid }, 'a worker is ready');
      return report;
    } catch (error) {
      worker.kill();
      throw error;
    }
  }

  /** Puts a process into the place of one that has ended by itself. */
  #restart(place: number, ended: WorkerProcess, lifetime: number): void {
    if (this.#isStopping) return;
    const { pid, ending } = ended;
    const pause = lifetime >= steadyTime ? firstPause : (this.#pauses.get(place) ?? firstPause);
    this.#pauses.set(place, Math.min(longestPause, pause * 2));
    this.#restarts.inc();
    log.error({ worker: place, pid, ending, milliseconds: pause }, 'a worker has ended and is started again');
    setTimeout(() => {
      if (this.#isStopping) return;
      this.#start(place).then(
        // What was deployed while nobody watched is deployed everywhere.
        () => place === 0 && this.#tellAll('deploy'),
        (error: unknown) => {
          log.error({ worker: place, cause: messageOf(error) }, 'a worker does not start');
          this.#restart(place, ended, 0);
        },
      );
    }, pause);
  }

  #tellAll(name: string, argument?: unknown, besides?: number): void {
    for (const [key, worker] of this.#processes) if (key !== besides) worker.post(name, argument);
  }

  /** Asks every worker what it measured, and ends those that say nothing for so long. */
  async #ask(patience: number): Promise<void> {
    const ask = async (worker: WorkerProcess): Promise<void> => {
      const timer = setTimeout(() => {
        if (patience < longestSilence) return;
        log.error({ pid: worker.pid, milliseconds: patience }, 'a worker does not answer and is ended');
        worker.kill();
      }, patience);
      try {
        this.#host.measured(worker.key, await worker.snapshot());
      } catch (error) {
        log.debug({ err: toError(error) }, 'a worker has ended while it was asked');
      } finally {
        clearTimeout(timer);
      }
    };
    await Promise.all([...this.#processes.values()].map((worker) => ask(worker)));
  }

  async #readMetrics(): Promise<string> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, askPatience);
    await Promise.race([this.#ask(askPatience), late]);
    clearTimeout(timer);
    const own: readonly MetricSnapshot[] = snapshotMetrics(this.#metrics);
    return metricsText(mergeMetrics([...this.#host.snapshots(), own]));
  }

  /** Asks a person once, however many workers want to know. */
  #prompt(question: string): Promise<string> {
    const known = this.#answers.get(question) ?? this.#options.prompt?.(question);
    if (!known) return Promise.reject(new Error('nobody can be asked'));
    this.#answers.set(question, known);
    return known;
  }
}
