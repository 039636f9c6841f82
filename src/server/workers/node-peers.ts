import { getLogger } from '#core';
import { messageOf } from '#errors';
import type { CounterList, NodeChange, SpreadCapture, TraceSummary } from '#management';
import type { MessageTrace } from '#mediation';
import type { Methods } from './channel.ts';
import { createMergedCounters } from './merged-counters.ts';
import { createMergedTraces } from './merged-traces.ts';
import type { WorkerProcess } from './worker-process.ts';

const log = getLogger('server.workers');

/** For how long a reader waits for what one worker has observed. */
const patience = 2_000;

type Worker = Pick<WorkerProcess, 'key' | 'call' | 'post'>;

/** What workers do together: changes reach all of them, and what they have observed is shown as one. */
export class NodePeers {
  readonly #workers: () => ReadonlyMap<number, Worker>;
  /** The latest change of each subject, for workers that start later. */
  readonly #changes = new Map<string, NodeChange>();
  readonly #counters = createMergedCounters();
  readonly #traces = createMergedTraces();

  constructor(workers: () => ReadonlyMap<number, Worker>) {
    this.#workers = workers;
  }

  /** What the worker `key` may ask for. */
  methodsOf(key: number): Methods {
    return {
      spread: (change: NodeChange) => this.#spread(change, key),
      'capture.took': (id: string) => {
        this.#countDown(id);
        for (const worker of this.#besides(key)) worker.post('capture.spent', id);
      },
      'observed.counters': (since: number) => this.#readCounters(since),
      'observed.traces': (word?: string) => this.#readTraces(word),
      'observed.trace': (number: number) => this.#readTrace(number),
      'observed.clear': () => this.#gather('own.clear'),
    };
  }

  left(key: number): void {
    this.#counters.left(key);
  }

  /** Makes the changes in a worker that has just started which people made before. */
  async catchUp(worker: Worker): Promise<void> {
    this.#forgetOver();
    for (const change of this.#changes.values()) await this.#tell(worker, change);
  }

  /** A capture that has all of its messages begins in no worker any more. */
  #countDown(id: string): void {
    const key = `capture ${id}`;
    const change = this.#changes.get(key);
    if (!change) return;
    const { request, until } = change.state as SpreadCapture;
    if (request.next <= 1) this.#changes.delete(key);
    else this.#changes.set(key, { ...change, state: { until, request: { ...request, next: request.next - 1 } } });
  }

  #forgetOver(): void {
    for (const [key, { name, state }] of this.#changes) {
      if (name === 'capture' && (state as SpreadCapture).until <= Date.now()) this.#changes.delete(key);
    }
  }

  async #spread(change: NodeChange, key: number): Promise<void> {
    const { name, subject, state } = change;
    const id = `${name} ${subject}`;
    this.#changes.delete(id);
    this.#forgetOver();
    // What has ended or is written in files needs no telling later.
    if (state !== null && state !== undefined) this.#changes.set(id, change);
    await Promise.all(this.#besides(key).map((worker) => this.#tell(worker, change)));
  }

  async #tell(worker: Worker, change: NodeChange): Promise<void> {
    try {
      await worker.call('changed', change);
    } catch (error) {
      const { name, subject } = change;
      log.warn({ change: name, subject, cause: messageOf(error) }, 'a worker did not make a change');
    }
  }

  async #readCounters(since: number): Promise<CounterList> {
    const lists = await this.#gather<CounterList>('own.counters', (key) => this.#counters.cursorOf(key));
    for (const [key, list] of lists) this.#counters.take(key, list);
    return this.#counters.list(since);
  }

  async #readTraces(word?: string): Promise<readonly TraceSummary[]> {
    return this.#traces.merge(await this.#gather<readonly TraceSummary[]>('own.traces', () => word));
  }

  async #readTrace(number: number): Promise<MessageTrace | undefined> {
    const place = this.#traces.placeOf(number);
    const worker = place && this.#workers().get(place.key);
    const trace = await worker?.call<MessageTrace | undefined>('own.trace', place?.number);
    return trace && { ...trace, number };
  }

  #besides(key: number): Worker[] {
    return [...this.#workers()].filter(([each]) => each !== key).map(([, worker]) => worker);
  }

  /** The answers of the workers that answer in time and have one. */
  async #gather<T>(name: string, argumentOf: (key: number) => unknown = () => undefined): Promise<Map<number, T>> {
    const answers = await Promise.all(
      [...this.#workers()].map(
        async ([key, worker]) => [key, await inTime(worker.call<T>(name, argumentOf(key)))] as const,
      ),
    );
    return new Map(answers.flatMap(([key, answer]) => (answer === undefined ? [] : [[key, answer] as const])));
  }
}

/** What comes of `work`; undefined when that takes too long or fails. */
async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), patience);
  try {
    return await Promise.race([work, promise]);
  } catch (error) {
    log.debug({ cause: messageOf(error) }, 'a worker did not answer');
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
