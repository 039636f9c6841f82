import process from 'node:process';
import { loadHomeConfig, usableConfig } from '#config';
import { createHome, systemClock } from '#core';
import type { QueueStore } from '#notify';
import { openNotifyDatabase, openSealing } from './notifications.ts';

/** The messages of a home that were given up. */
export interface DeadNotices extends AsyncDisposable, Pick<QueueStore, 'dead' | 'revive'> {}

/** Opens the queue of a home beside a server that may run on it, which takes up what is revived. */
export async function openDeadNotices(directory: string): Promise<DeadNotices> {
  const home = createHome(directory);
  const systemProperties = { 'carbon.home': home.directory };
  const config = usableConfig(await loadHomeConfig({ home: home.directory, env: process.env, systemProperties }));
  const area = await import('#notify');
  const database = await openNotifyDatabase(config, home, systemClock);
  const queue = area.createQueueStore({
    database,
    sealing: await openSealing(config, home),
    clock: systemClock,
  });
  return {
    dead: (limit) => queue.dead(limit),
    revive: (id) => queue.revive(id),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
