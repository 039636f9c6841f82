import { getLogger, type Clock, type Lease, type Leases } from '#core';
import { toError } from '#errors';
import type { Outcome } from '../adapters/adapter.ts';
import { waitAfter, type QueueSettings } from './queue-settings.ts';
import type { Job, QueueStore } from './queue-store.ts';

const log = getLogger('notify.queue');
const leaseName = 'notify.queue';
const pruneInterval = 3_600_000;
/** Milliseconds that a stop waits; what is under way then is repeated with its id by the next start. */
const stopPatience = 10_000;

export interface QueueParts {
  readonly store: QueueStore;
  readonly leases: Leases;
  /** Unique per process. */
  readonly holder: string;
  readonly clock: Clock;
  readonly settings: QueueSettings;
  /** Sends once; must not reject. */
  readonly deliver: (job: Job) => Promise<Outcome>;
  /** Hears what became of each attempt. */
  readonly observe: (job: Job, result: 'sent' | 'retried' | 'dead') => void;
}

/**
 * Works off the queue, on one node at a time. A message leaves the queue after its receiver has taken it, so a crash
 * repeats at most what was under way, with the same id.
 */
export class Queue {
  readonly #parts: QueueParts;
  readonly #running = new Map<string, { readonly lane: string; readonly end: Promise<void> }>();
  #lease: Lease | undefined;
  #isStopping = false;
  #isWanted = false;
  #wake: () => void = () => {};
  #loop: Promise<void> | undefined;
  #pruneAt = 0;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop ??= this.#work();
  }

  /** Something was added. */
  poke(): void {
    this.#isWanted = true;
    this.#wake();
  }

  /** Takes nothing more and waits for what is under way, but not for a receiver that hangs. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    await this.#loop;
    const { leases, clock } = this.#parts;
    const ended = Promise.all([...this.#running.values()].map(({ end }) => end));
    await new Promise<void>((resolve) => {
      const cancel = clock.after(stopPatience, resolve);
      void ended.then(() => resolve()).finally(cancel);
    });
    if (this.#lease) await leases.release(this.#lease).catch((error: unknown) => this.#complain(error));
    this.#lease = undefined;
  }

  async #work(): Promise<void> {
    const { clock, settings } = this.#parts;
    while (!this.#isStopping) {
      this.#isWanted = false;
      let pause = settings.pollTime;
      try {
        if (await this.#hold()) {
          await this.#prune();
          pause = (await this.#takeDue()) ?? pause;
        }
      } catch (error) {
        this.#complain(error);
      }
      if (this.#isStopping || this.#isWanted) continue;
      await new Promise<void>((resolve) => {
        const cancel = clock.after(pause, resolve);
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
    }
  }

  /** Whether this node has the queue; renews long before the lease ends. */
  async #hold(): Promise<boolean> {
    const { leases, holder, settings, clock } = this.#parts;
    const { leaseTime } = settings;
    if (this.#lease && this.#lease.expiresAt - clock.now() > (leaseTime * 2) / 3) return true;
    this.#lease =
      (this.#lease && (await leases.renew(this.#lease, leaseTime))) ??
      (await leases.acquire({ name: leaseName, holder, ttl: leaseTime }));
    return this.#lease !== undefined;
  }

  /** Begins what is due as far as there is room; the milliseconds until there is more to do, if that is known. */
  async #takeDue(): Promise<number | undefined> {
    const { store, settings, clock } = this.#parts;
    const { concurrency, pollTime } = settings;
    const room = concurrency - this.#running.size;
    if (room <= 0) return undefined;
    const jobs = await store.due(concurrency + room, this.#fullLanes());
    for (const job of jobs) {
      if (this.#running.size >= concurrency) break;
      if (this.#running.has(job.id) || this.#inLane(job.lane) >= settings.perLane) continue;
      this.#begin(job);
    }
    if (jobs.length > 0) return undefined;
    const next = await store.nextDue();
    return next === undefined ? undefined : Math.max(1, Math.min(pollTime, next - clock.now()));
  }

  #begin(job: Job): void {
    const end = this.#attempt(job)
      .catch((error: unknown) => this.#complain(error))
      .finally(() => {
        this.#running.delete(job.id);
        this.poke();
      });
    this.#running.set(job.id, { lane: job.lane, end });
  }

  async #attempt(job: Job): Promise<void> {
    const { store, settings, clock, deliver, observe } = this.#parts;
    const outcome = await deliver(job);
    const facts = { id: job.id, sender: job.lane, attempt: job.attempts + 1, outcome: outcome.detail };
    if (outcome.kind === 'sent') {
      await store.done(job);
      observe(job, 'sent');
      log.info(facts, 'a notification was sent');
    } else if (outcome.kind === 'refused' || job.attempts + 1 >= settings.attempts) {
      await store.bury(job, outcome.detail);
      observe(job, 'dead');
      log.error(facts, 'a notification was given up');
    } else {
      const wait = Math.max(waitAfter(job.attempts + 1, settings), outcome.after ?? 0);
      await store.postpone(job, clock.now() + Math.min(wait, settings.longestWait));
      observe(job, 'retried');
      log.warn(facts, 'a notification failed and is tried again');
    }
  }

  async #prune(): Promise<void> {
    const { store, clock, settings } = this.#parts;
    if (clock.now() < this.#pruneAt) return;
    this.#pruneAt = clock.now() + pruneInterval;
    await store.prune(clock.now() - settings.retention);
  }

  #fullLanes(): string[] {
    const lanes = new Set([...this.#running.values()].map(({ lane }) => lane));
    return [...lanes].filter((lane) => this.#inLane(lane) >= this.#parts.settings.perLane);
  }

  #inLane(wanted: string): number {
    return [...this.#running.values()].filter(({ lane }) => lane === wanted).length;
  }

  #complain(error: unknown): void {
    log.error({ err: toError(error) }, 'the queue of notifications failed; it goes on');
  }
}
