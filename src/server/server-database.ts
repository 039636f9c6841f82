import { join } from 'node:path';
import type { Config } from '#config';
import type { Home } from '#core';
import { parseJdbcUrl } from '#core/java';
import { embeddedPath, openDatabase, type Database, type Schema } from '#db';
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

/** The file of that database; undefined for one that is elsewhere or in memory. */
export function embeddedFile(config: Config, home: Home): string | undefined {
  const facts = readDatabase(config, 'apim_db');
  if (!facts) return join(home.data, 'millrace.sqlite');
  const url = parseJdbcUrl(facts.url);
  return url.vendor === 'h2' && url.mode === 'file' ? embeddedPath(url, home) : undefined;
}
