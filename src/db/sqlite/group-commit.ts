import type { Clock } from '#core';
import type { MaybePromise } from '../database.ts';
import type { SqliteConnection } from './connection.ts';
import { busyError, type Turns } from './turns.ts';

/** What is there once the work is committed; undefined when it failed and was refused already. */
type Done = (() => void) | undefined;

interface Job {
  run(): MaybePromise<Done>;
  refuse(error: unknown): void;
}

/** Work that has to wait, and what ends its waiting. */
interface Waiting {
  readonly job: Job;
  readonly cancel: () => void;
}

/** A transaction of the engine that is open, with what is to be told when it is committed. */
interface Group {
  readonly end: () => void;
  readonly done: { readonly job: Job; readonly tell: () => void }[];
  /** True when its time came while a piece of work was waiting for something. */
  isDue: boolean;
}

export interface GroupCommitParts {
  readonly connection: SqliteConnection;
  readonly turns: Turns;
  readonly clock: Clock;
  /** The longest wait for a turn in milliseconds. */
  readonly limit: number;
  /** Told after each commit how many pieces of work it had. */
  readonly committed: (count: number) => void;
}

/** Most pieces of work of one commit, so that the first ones need not wait for long. */
const groupLimit = 64;

/** Most rounds of events that a group waits for more. */
const roundLimit = 4;

/**
 * Writes what arrives during a few rounds of events with one commit, each piece of work between its own savepoints. A
 * commit writes each page that changed once, however many rows of it changed, so that under load rows become cheaper.
 * Work that waits for something keeps the others out until it is done, and when that took a round of events, ends the
 * group.
 */
export class GroupCommit {
  readonly #parts: GroupCommitParts;
  readonly #waiting: Waiting[] = [];
  #group: Group | undefined;
  #isBusy = false;
  #isOpening = false;

  constructor(parts: GroupCommitParts) {
    this.#parts = parts;
  }

  /**
   * Runs `work`; what it throws undoes it alone.
   *
   * @throws MillraceError `MR_DB_BUSY` when its turn does not come in time, or what the commit throws
   */
  transaction<Value>(work: () => MaybePromise<Value>): Promise<Value> {
    const { connection } = this.#parts;
    const undo = (error: unknown): never => {
      connection.run('ROLLBACK TO job', []);
      connection.run('RELEASE job', []);
      throw error;
    };
    const keep = (value: Value): Value => {
      connection.run('RELEASE job', []);
      return value;
    };
    return this.#add(() => {
      connection.run('SAVEPOINT job', []);
      let value: MaybePromise<Value>;
      try {
        value = work();
      } catch (error) {
        return undo(error);
      }
      return value instanceof Promise ? value.then(keep, undo) : keep(value);
    });
  }

  /** The same for one statement, which the engine undoes by itself when it fails. */
  statement<Value>(work: () => Value): Promise<Value> {
    return this.#add(work);
  }

  #add<Value>(work: () => MaybePromise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const take = (value: Value) => (): void => resolve(value);
      const failed = (error: unknown): undefined => {
        reject(error);
        return undefined;
      };
      this.#accept({
        refuse: reject,
        run() {
          try {
            const value = work();
            return value instanceof Promise ? value.then(take, failed) : take(value);
          } catch (error) {
            return failed(error);
          }
        },
      });
    });
  }

  #accept(job: Job): void {
    const isFree = !this.#isBusy && this.#waiting.length === 0 && !this.#isOpening;
    if (isFree && this.#hasRoom()) {
      this.#run(job);
      return;
    }
    const { clock, limit } = this.#parts;
    const waiting: Waiting = {
      job,
      cancel: clock.after(limit, () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        job.refuse(busyError(limit));
      }),
    };
    this.#waiting.push(waiting);
    if (!this.#group) this.#openForWaiting();
  }

  /** Whether the group that is open takes more, or one can be opened at once. */
  #hasRoom(): boolean {
    if (this.#group) return this.#group.done.length < groupLimit;
    const end = this.#parts.turns.tryTake();
    if (end) this.#open(end);
    return end !== undefined;
  }

  /** Begins a group on a turn; when the engine refuses it, the turn is over. */
  #open(end: () => void): void {
    try {
      this.#parts.connection.run('BEGIN IMMEDIATE', []);
    } catch (error) {
      end();
      throw error;
    }
    const group: Group = { end, done: [], isDue: false };
    this.#group = group;
    setImmediate(() => this.#settle(group, { seen: 0, rounds: 0 }));
  }

  /** Commits a group once a round of events brought nothing more for it, or it is full, or has waited for long enough. */
  #settle(group: Group, { seen, rounds }: { readonly seen: number; readonly rounds: number }): void {
    if (this.#group !== group) return;
    if (this.#isBusy) {
      group.isDue = true;
      return;
    }
    const count = group.done.length;
    if (count === seen || count >= groupLimit || rounds >= roundLimit) this.#close();
    else setImmediate(() => this.#settle(group, { seen: count, rounds: rounds + 1 }));
  }

  #run(job: Job): void {
    const done = job.run();
    if (done instanceof Promise) {
      this.#isBusy = true;
      void this.#finish(job, done);
    } else if (done) this.#group?.done.push({ job, tell: done });
  }

  async #finish(job: Job, done: Promise<Done>): Promise<void> {
    const tell = await done;
    this.#isBusy = false;
    if (tell) this.#group?.done.push({ job, tell });
    if (this.#group?.isDue) this.#close();
    else this.#fill();
  }

  /** Runs what waits within the group that is open, as far as it has room. */
  #fill(): void {
    while (this.#group && this.#group.done.length < groupLimit && !this.#isBusy) {
      const next = this.#waiting.shift();
      if (!next) return;
      next.cancel();
      this.#run(next.job);
    }
  }

  #close(): void {
    const group = this.#group;
    if (!group) return;
    this.#group = undefined;
    try {
      this.#parts.connection.run('COMMIT', []);
      this.#parts.committed(group.done.length);
    } catch (error) {
      this.#parts.connection.exec('ROLLBACK');
      for (const { job } of group.done) job.refuse(error);
      group.done.length = 0;
    }
    group.end();
    for (const { tell } of group.done) tell();
    if (this.#waiting.length > 0) this.#openForWaiting();
  }

  #openForWaiting(): void {
    if (this.#isOpening || this.#group) return;
    this.#isOpening = true;
    void this.#parts.turns.take().then(
      (end) => this.#runWaiting(end),
      // The turn did not come; whoever waited as long was refused, and the others wait on.
      () => {
        this.#isOpening = false;
        if (this.#waiting.length > 0) this.#openForWaiting();
      },
    );
  }

  #runWaiting(end: () => void): void {
    this.#isOpening = false;
    const [first] = this.#waiting;
    if (!first) {
      end();
      return;
    }
    try {
      this.#open(end);
    } catch (error) {
      this.#waiting.shift();
      first.cancel();
      first.job.refuse(error);
      if (this.#waiting.length > 0) this.#openForWaiting();
      return;
    }
    this.#fill();
  }
}
