import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#config';
import { systemClock, type Home } from '#core';
import type { Problem } from '#errors';
import { readDatabase } from './data-sources.ts';
import { openNotifyDatabase, openSealing } from './notifications.ts';

/**
 * What is wrong with the publishers, streams and templates of a home, and with the senders in its database, if it has
 * one of its own already; a shared database is left alone.
 */
export async function checkNotices(home: Home, config: Config): Promise<readonly Problem[]> {
  const { checkNotifications, createSenderStore } = await import('#notify');
  const isOwn = readDatabase(config, 'apim_db') === undefined;
  if (!isOwn || !existsSync(join(home.data, 'notifications.sqlite'))) return checkNotifications(home, undefined);
  await using database = await openNotifyDatabase(config, home, systemClock);
  const sealing = await openSealing(config, home);
  return await checkNotifications(home, createSenderStore({ database, sealing, clock: systemClock }));
}
