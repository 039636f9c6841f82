import type { Config } from '#config';

/** Two values of one key and what differs between them. */
export interface EffectRow {
  /** `dashboard` for a key of the dashboard's file. */
  readonly file?: 'dashboard';
  /** The path as it could be written; names that the file chooses are filled in, as in `database.apim_db.port`. */
  readonly key: string;
  readonly first: string | number | boolean | readonly string[];
  readonly second: string | number | boolean | readonly string[];
  /** Other lines of the file that both runs need. */
  readonly given?: string;
  /** True for a row that reads the log, which servers beside it would write to. */
  readonly alone?: true;
  /** Runs what the key acts on; the results of both values must differ. `text` is the file. */
  observe(config: Config, text: string): unknown;
}
