import { parseJdbcUrl } from '#core/java';
import type { ConnectionFacts, Database, DataSources } from '#db';
import type { OpenDatabases } from '../open-databases.ts';
import type { WatchedSource } from './data-source-checker.ts';

/** Databases that the original's directory has under other names than `jdbc/` and the name of their section. */
const directoryNames: Readonly<Record<string, string>> = {
  apim_db: 'jdbc/WSO2AM_DB',
  carbon_db: 'jdbc/WSO2CarbonDB',
  config_db: 'jdbc/WSO2CONFIG_DB',
  identity_db: 'jdbc/WSO2IdentityDB',
  shared_db: 'jdbc/SHARED_DB',
  user: 'jdbc/WSO2UM_DB',
};

export interface WatchedSourcesParts {
  /** Those of the configuration, by the names of their sections or by their ids. */
  readonly configured: ReadonlyMap<string, ConnectionFacts>;
  /** The pools that artifacts use. */
  readonly dataSources: Pick<DataSources, 'named' | 'opened'>;
  /** Those that the server itself uses. */
  readonly openDatabases: OpenDatabases;
}

/** The data sources of the configuration and the server's own databases, as they are now. */
export function watchedSources({ configured, dataSources, openDatabases }: WatchedSourcesParts): WatchedSource[] {
  const names = new Set([...openDatabases.names, ...configured.keys()]);
  return [...names].map((name) => ({
    name: directoryNames[name] ?? `jdbc/${name}`,
    async databases() {
      const ofArtifacts = await dataSources.opened(name);
      const opened: Database[] = [...openDatabases.of(name), ...(ofArtifacts ? [ofArtifacts] : [])];
      if (opened.length > 0 || isEmbedded(configured.get(name))) return opened;
      return [await dataSources.named(name)];
    },
  }));
}

/** An embedded database that nobody has used yet is a file that need not be there. */
function isEmbedded(facts: ConnectionFacts | undefined): boolean {
  return facts !== undefined && parseJdbcUrl(facts.url).vendor === 'h2';
}
