import { createPool, type Database, type Pool } from '#db';

/** A pool of connections that are nothing, with so many of them lent until it is disposed. */
export async function lentPool(active: number, maxActive: number): Promise<Pool<object> & Disposable> {
  const source = {
    create: async () => ({}),
    destroy: async () => undefined,
    validate: async () => true,
    reset: async () => undefined,
  };
  const pool = createPool<object>(source, { maxActive });
  const { promise, resolve } = Promise.withResolvers<void>();
  for (let lent = 0; lent < active; lent++) void pool.use(() => promise);
  return Object.assign(pool, { [Symbol.dispose]: resolve });
}

/** A database that holds nothing, whose connections are those of `pool`, where there is one, and that answers as `ping`. */
export function pooledDatabase(
  pool: Pool<object> | undefined,
  ping: () => Promise<void> = async () => undefined,
): Database {
  const refuse = (): never => {
    throw new Error('nothing is stored here');
  };
  return {
    dialect: 'postgresql',
    ...(pool && { counters: pool.counters }),
    ping,
    get: refuse,
    all: refuse,
    run: refuse,
    transaction: refuse,
    queries: refuse,
    [Symbol.asyncDispose]: async () => undefined,
  };
}
