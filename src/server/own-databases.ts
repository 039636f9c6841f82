import type { Config } from '#config';
import type { Home } from '#core';
import { coreSchema, type ConnectionFacts, type Schema } from '#db';
import { artifactSchema } from './background.ts';
import { readDatabase } from './data-sources.ts';
import { storeFileDecrypter } from './identity-files.ts';

/** A database outside of the home in which the server keeps tables of its own. */
export interface OwnDatabase {
  /** What the configuration calls it. */
  readonly name: string;
  readonly facts: ConnectionFacts;
  readonly schemas: readonly Schema[];
}

/**
 * Every database that the configuration and the files of user stores name for the server's own tables. Those of the
 * home itself are not among them: they make their tables when they are opened.
 *
 * @throws MillraceError for a file of a user store that cannot be read
 */
export async function ownDatabases(config: Config, home: Home): Promise<readonly OwnDatabase[]> {
  const identity = await import('#identity');
  const { notifySchema } = await import('#notify');
  const { oauthSchema, sessionsSchema, usersSchema } = identity;
  const ofSections: readonly (readonly [name: string, schemas: readonly Schema[]])[] = [
    ['apim_db', [coreSchema, oauthSchema, sessionsSchema, usersSchema, notifySchema]],
    ['shared_db', [coreSchema, artifactSchema]],
  ];
  const found = ofSections.flatMap(([name, schemas]) => {
    const facts = readDatabase(config, name);
    return facts ? [{ name: `database.${name}`, facts, schemas }] : [];
  });
  const ofStores = await identity.storeDatabases(home, storeFileDecrypter(config, home));
  return [
    ...found,
    ...ofStores.map(({ domain, facts }) => ({
      name: `user store ${domain}`,
      facts,
      schemas: [coreSchema, usersSchema],
    })),
  ];
}
