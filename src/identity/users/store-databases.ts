import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '#core';
import type { ConnectionFacts } from '#db';
import { readStoreFile, storeTypeOf, type Decrypt } from './store-file.ts';
import { textOf } from './store-properties.ts';

/** A database in which a user store of a file keeps its tables. */
export interface StoreDatabase {
  /** Domain of the store. */
  readonly domain: string;
  readonly facts: ConnectionFacts;
}

/**
 * The databases of the user stores of a home, those of its tenants included (identity 5.3).
 *
 * @throws MillraceError for a file that is no user store
 */
export async function storeDatabases(home: Home, decrypt: Decrypt): Promise<readonly StoreDatabase[]> {
  const tenants = join(home.directory, 'repository', 'tenants');
  const folders = [home.userstores, ...namesIn(tenants).map((id) => join(tenants, id, 'userstores'))];
  const found: StoreDatabase[] = [];
  for (const folder of folders) {
    for (const name of namesIn(folder).filter((each) => each.endsWith('.xml'))) {
      const path = join(folder, name);
      const { domain, className, properties, isDisabled } = await readStoreFile(
        readFileSync(path, 'utf8'),
        path,
        decrypt,
      );
      const url = textOf(properties, 'url');
      if (isDisabled || url === undefined || !storeTypeOf(className)?.startsWith('database')) continue;
      const username = textOf(properties, 'userName');
      found.push({ domain, facts: { url, username, password: properties.get('password') } });
    }
  }
  return found;
}

function namesIn(folder: string): readonly string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder).sort() : [];
}
