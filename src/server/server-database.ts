import { databaseApimDb, type Config } from '#config';
import type { Home } from '#core';
import { openDatabase, type Database, type Schema } from '#db';

/**
 * Opens the database of the server: that of `[database.apim_db]` when the file has it, else the embedded one of the
 * home.
 *
 * @throws MillraceError as `openDatabase`
 */
export function openServerDatabase(config: Config, home: Home, schemas: readonly Schema[]): Promise<Database> {
  const { url, username, password } = databaseApimDb;
  const name = config.get(username);
  const secret = config.get(password);
  return openDatabase({
    home,
    schemas,
    ...(config.has(url) && { url: config.get(url) }),
    ...(name !== undefined && { username: name }),
    ...(secret !== undefined && { password: secret }),
  });
}
