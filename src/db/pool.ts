import { type Clock, systemClock } from '#core';
import { MillraceError } from '#errors';

/** The pool options of the catalog that every driver honours. */
export interface PoolOptions {
  /** Most resources at a time; 8 when absent. */
  readonly maxActive?: number;
  /** Milliseconds that a borrower waits, negative for ever; 60000 when absent. */
  readonly maxWait?: number;
  /** Checks a resource before it is lent; false when absent. */
  readonly testOnBorrow?: boolean;
  readonly validationQuery?: string;
  /** Milliseconds for which a check holds; 30000 when absent. */
  readonly validationInterval?: number;
  /** Most resources that are kept for later; as many as there are when absent or negative. */
  readonly maxIdle?: number;
  /** Milliseconds after which a resource that nobody used is ended; never when absent. */
  readonly idleTimeout?: number;
  /** Whether statements outside of transactions commit by themselves; true when absent. */
  readonly defaultAutoCommit?: boolean;
}

/** Makes, checks and ends what a pool lends. */
export interface PoolSource<Resource> {
  create(): Promise<Resource>;
  destroy(resource: Resource): Promise<void>;
  /** Whether the resource still works; a rejection means that it does not. */
  validate(resource: Resource, query: string | undefined): Promise<boolean>;
  /** Puts a resource into the state in which it is lent. */
  reset(resource: Resource, autoCommit: boolean): Promise<void>;
}

export interface PoolCounters {
  readonly active: number;
  readonly idle: number;
  readonly waiting: number;
  readonly maxActive: number;
}

export interface Pool<Resource> extends AsyncDisposable {
  readonly counters: PoolCounters;
  /**
   * Lends a resource to `work`. One that `work` fails with is checked before it is lent again.
   *
   * @throws MillraceError `MR_POOL_EXHAUSTED` (503) when none is free in time, `MR_POOL_CLOSED`; what `create` or
   *   `work` throws
   */
  use<Value>(work: (resource: Resource) => Promise<Value>): Promise<Value>;
}

interface Entry<Resource> {
  readonly resource: Resource;
  /** Keeps the resource from being ended for lack of use. */
  cancelEviction?: () => void;
  /** On the monotonic clock; -Infinity when it must be checked again. */
  validatedAt: number;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: MillraceError) => void;
}

/** Makes an empty pool; resources are made when they are needed. */
export function createPool<Resource>(
  source: PoolSource<Resource>,
  options: PoolOptions = {},
  clock: Clock = systemClock,
): Pool<Resource> {
  return new ResourcePool(source, options, clock);
}

class ResourcePool<Resource> implements Pool<Resource> {
  readonly #source: PoolSource<Resource>;
  readonly #options: PoolOptions;
  readonly #clock: Clock;
  readonly #idle: Entry<Resource>[] = [];
  readonly #waiting: Waiter[] = [];
  #active = 0;
  #closed = false;

  constructor(source: PoolSource<Resource>, options: PoolOptions, clock: Clock) {
    this.#source = source;
    this.#options = options;
    this.#clock = clock;
  }

  get counters(): PoolCounters {
    return {
      active: this.#active,
      idle: this.#idle.length,
      waiting: this.#waiting.length,
      maxActive: this.#maxActive,
    };
  }

  get #maxActive(): number {
    return this.#options.maxActive ?? 8;
  }

  async use<Value>(work: (resource: Resource) => Promise<Value>): Promise<Value> {
    await this.#takePlace();
    let entry: Entry<Resource> | undefined;
    try {
      entry = await this.#lend();
      return await work(entry.resource);
    } catch (error) {
      if (entry) entry.validatedAt = -Infinity;
      throw error;
    } finally {
      await this.#takeBack(entry);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const waiter of this.#waiting.splice(0)) waiter.reject(closed());
    const idle = this.#idle.splice(0);
    for (const entry of idle) entry.cancelEviction?.();
    await Promise.all(idle.map((entry) => this.#source.destroy(entry.resource)));
  }

  async #takePlace(): Promise<void> {
    if (this.#closed) throw closed();
    if (this.#active < this.#maxActive) {
      this.#active++;
      return;
    }
    const { maxWait = 60_000 } = this.#options;
    await new Promise<void>((resolve, reject) => {
      let cancel = (): void => undefined;
      const waiter: Waiter = {
        resolve() {
          cancel();
          resolve();
        },
        reject(error) {
          cancel();
          reject(error);
        },
      };
      this.#waiting.push(waiter);
      if (maxWait < 0) return;
      cancel = this.#clock.after(maxWait, () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(exhausted(this.#maxActive, maxWait));
      });
    });
  }

  /** An idle resource that works, or a new one. */
  async #lend(): Promise<Entry<Resource>> {
    const { testOnBorrow = false, validationInterval = 30_000, defaultAutoCommit = true } = this.#options;
    for (;;) {
      const idle = this.#idle.pop();
      idle?.cancelEviction?.();
      const entry = idle ?? { resource: await this.#source.create(), validatedAt: this.#clock.monotonic() };
      const age = this.#clock.monotonic() - entry.validatedAt;
      const mustTest = idle && (age === Infinity || (testOnBorrow && age >= validationInterval));
      if (mustTest && !(await this.#isValid(entry))) {
        await this.#source.destroy(entry.resource);
        continue;
      }
      await this.#source.reset(entry.resource, defaultAutoCommit);
      return entry;
    }
  }

  async #isValid(entry: Entry<Resource>): Promise<boolean> {
    const works = await this.#source.validate(entry.resource, this.#options.validationQuery).catch(() => false);
    entry.validatedAt = this.#clock.monotonic();
    return works;
  }

  /** Puts a resource among the idle ones unless there are enough. */
  #keep(entry: Entry<Resource>): boolean {
    const { maxIdle = -1, idleTimeout = 0 } = this.#options;
    if (maxIdle >= 0 && this.#idle.length >= maxIdle && this.#waiting.length === 0) return false;
    this.#idle.push(entry);
    if (idleTimeout > 0) {
      entry.cancelEviction = this.#clock.after(idleTimeout, () => {
        this.#idle.splice(this.#idle.indexOf(entry), 1);
        // Nobody waits for it, and a connection that cannot be ended properly is gone anyhow.
        void this.#source.destroy(entry.resource).catch(() => undefined);
      });
    }
    return true;
  }

  async #takeBack(entry: Entry<Resource> | undefined): Promise<void> {
    const isKept = entry !== undefined && !this.#closed && this.#keep(entry);
    const next = this.#waiting.shift();
    if (next) next.resolve();
    else this.#active--;
    if (entry && !isKept) await this.#source.destroy(entry.resource);
  }
}

function exhausted(maxActive: number, maxWait: number): MillraceError {
  return new MillraceError({
    code: 'MR_POOL_EXHAUSTED',
    status: 503,
    message: 'The database is busy',
    detail: `all ${maxActive} connections were in use for ${maxWait} ms`,
  });
}

function closed(): MillraceError {
  return new MillraceError({ code: 'MR_POOL_CLOSED', status: 503, message: 'The database is being closed' });
}
