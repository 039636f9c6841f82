import type { Config } from '#config';
import type { Home } from '#core';
import { openDatabase, type Database, type Schema } from '#db';
import { readDatabase } from './data-sources.ts';

/**
 * Opens the database of the server: that of `[database.apim_db]` when the file has it, else the embedded one of the
 * home.
 *
 * @throws MillraceError as `openDatabase`
 */
export function openServerDatabase(config: Config, home: Home, schemas: readonly Schema[]): Promise<Database> {
  return openDatabase({ home, schemas, ...readDatabase(config, 'apim_db') });
}
