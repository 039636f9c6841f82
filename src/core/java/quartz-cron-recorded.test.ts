import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MillraceError } from '#errors';
import { compileQuartzCron } from './quartz-cron.ts';

/** What Quartz 2.3.2 gave: the next runs after an instant in a zone, or a refusal. */
interface Row {
  readonly expression: string;
  readonly zone: string;
  readonly after: string;
  readonly times?: readonly string[];
  readonly error?: true;
}

const file = join(import.meta.dirname, '../../../test/fixtures/core/quartz-cron.json');
const rows = JSON.parse(readFileSync(file, 'utf8')) as readonly Row[];

/** The next runs as the fixture writes them, or `refused`. */
function runsOf({ expression, zone, after, times = [] }: Row): readonly string[] | 'refused' {
  try {
    const cron = compileQuartzCron(expression, zone);
    const runs: string[] = [];
    let last: number | undefined = Date.parse(after);
    for (let count = 0; count < Math.max(times.length, 1) && last !== undefined; count++) {
      last = cron.next(last);
      if (last !== undefined) runs.push(new Date(last).toISOString().replace('.000', ''));
    }
    return runs;
  } catch (error) {
    assert.ok(error instanceof MillraceError && error.code === 'MR_CRON', String(error));
    return 'refused';
  }
}

test('schedules run when Quartz runs them', () => {
  const wrong = rows
    .map((row) => ({ row, ours: runsOf(row) }))
    .filter(({ row, ours }) => JSON.stringify(ours) !== JSON.stringify(row.error ? 'refused' : row.times))
    .map(
      ({ row, ours }) =>
        `${row.expression} in ${row.zone}: ${String(ours)} instead of ${String(row.times ?? 'refused')}`,
    );
  assert.deepEqual(wrong, []);
});
