import type { Database } from '#db';
import type { LiveArtifacts, World } from '#artifacts';
import { textOfValue, type BackgroundServices, type CompiledStore, type RunningProcessor } from '#mediation';

/** The database of cases: in memory, known to artifacts as the data source `CaseDb` and by this URL. */
export const caseDatabase = 'jdbc:h2:mem:case';

/** What cases look at and steer besides messages: stores, processors, the database. */
export interface CaseBackground {
  /** Runs statements on the database of the case. */
  sql(text: string): Promise<void>;
  /** The rows of a query, one per line. */
  rows(query: string): Promise<string>;
  /** What waits in a message store: how many, then each payload on a line of its own. */
  store(name: string): Promise<string>;
  steer(processor: string, isActive: boolean): Promise<void>;
}

export function createCaseBackground(
  background: BackgroundServices,
  world: () => World,
  live: LiveArtifacts,
): CaseBackground {
  const database = (): Promise<Database> => background.dataSources.connect({ url: caseDatabase });
  return {
    async sql(text) {
      const opened = await database();
      for (const statement of text.split(/;\s*$/m)) if (statement.trim() !== '') await opened.run(statement);
    },
    async rows(query) {
      const rows = await (await database()).all(query);
      return rows.map((row) => `${Object.values(row).map(shown).join(' | ')}\n`).join('');
    },
    async store(name) {
      const found = world().ofKind('messageStore').get(name) as CompiledStore | undefined;
      if (!found) return 'no such store\n';
      const { entries } = await found.store.list({ limit: 100 });
      const lines = entries.map(({ message }) => message.payload.clone().toJsonText() ?? '');
      return [`${entries.length} messages`, ...lines, ''].join('\n');
    },
    async steer(processor, isActive) {
      const running = live.find(`messageProcessor:${processor}`) as RunningProcessor | undefined;
      if (!running) throw new Error(`there is no message processor ${processor}`);
      await (isActive ? running.activate() : running.deactivate());
    },
  };
}

function shown(value: unknown): string {
  return value === null ? 'NULL' : textOfValue(value);
}
