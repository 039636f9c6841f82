import type { Rollup } from './rollup-query.ts';
import type { Tally } from './tally.ts';

/** Messages, errors, time, and the histogram. */
type TallyRow = readonly number[];

interface RollupDocument {
  readonly all: TallyRow;
  readonly artifacts: readonly (readonly [artifact: string, tally: TallyRow])[];
}

/** A rollup as text; mediators are told apart in memory alone. */
export function writeRollup({ all, byArtifact }: Rollup): string {
  const document: RollupDocument = {
    all: rowOf(all),
    artifacts: [...byArtifact].map(([artifact, tally]) => [artifact, rowOf(tally)]),
  };
  return JSON.stringify(document);
}

/** The rollup that `writeRollup` wrote. */
export function readRollup(at: number, text: string): Rollup {
  const { all, artifacts } = JSON.parse(text) as RollupDocument;
  return {
    at,
    all: tallyOf(all),
    byArtifact: new Map(artifacts.map(([artifact, row]) => [artifact, tallyOf(row)])),
    byMediator: undefined,
  };
}

function rowOf({ messages, errors, time, histogram }: Tally): TallyRow {
  return [messages, errors, time, ...histogram];
}

function tallyOf([messages = 0, errors = 0, time = 0, ...histogram]: TallyRow): Tally {
  return { messages, errors, time, histogram };
}
