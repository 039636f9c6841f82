import { defineOperation, type Operation } from '#rest';
import type { ManagedRuntime } from '../runtime.ts';

/** One value of the configuration as it holds in this process. */
export interface ConfiguredValue {
  /** Items of arrays of tables carry their number, as in `apim.gateway.environment[0].name`. */
  readonly path: string;
  /** Secrets are masked. */
  readonly value: unknown;
  /** Where it came from: a place in the file, what it was inferred from, or the default. */
  readonly source: string;
  readonly kind: 'file' | 'inferred' | 'default' | 'absent';
  /** What the key is for. */
  readonly doc: string;
  readonly effect: string;
  /** `honoured`, `inert` or `pending`. */
  readonly status: string;
}

/** The configuration that the process runs with, and how much of what can be configured it honours. */
export interface RunningConfiguration {
  readonly file: string;
  values(): readonly ConfiguredValue[];
  coverage(): Readonly<Record<'total' | 'honoured' | 'inert' | 'pending', number>>;
}

/** `/millrace/configuration`: the effective values with their origin, as `millrace config explain` shows them. */
export function configurationOperations({ configuration }: ManagedRuntime): readonly Operation[] {
  return [
    defineOperation({
      id: 'getConfiguration',
      method: 'GET',
      path: '/millrace/configuration',
      summary: 'Effective values with their origin and effect, secrets masked; `written` leaves out defaults',
      parameters: {
        query: (z) => z.object({ written: z.enum(['true', 'false']).optional(), searchKey: z.string().optional() }),
      },
      responses: { 200: { description: 'The file, counts of honoured, inert and pending keys, and the values' } },
      scope: 'admin',
      handle({ query: { written, searchKey } }) {
        const key = searchKey?.toLowerCase();
        const isWritten = written === 'true';
        const values = configuration
          .values()
          .filter(({ kind }) => !isWritten || kind === 'file' || kind === 'inferred')
          .filter(({ path }) => key === undefined || path.toLowerCase().includes(key));
        return { file: configuration.file, coverage: configuration.coverage(), count: values.length, values };
      },
    }),
  ];
}
