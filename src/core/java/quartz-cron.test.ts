import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileQuartzCron } from './quartz-cron.ts';

const after = (text: string): number => Date.parse(text);

/** The next runs of an expression, as UTC. */
function runs(expression: string, from: string, options: { zone?: string; count?: number } = {}): string[] {
  const cron = compileQuartzCron(expression, options.zone ?? 'UTC');
  const found: string[] = [];
  let instant: number | undefined = after(from);
  while (found.length < (options.count ?? 3)) {
    instant = cron.next(instant);
    if (instant === undefined) break;
    found.push(new Date(instant).toISOString().replace(':00.000Z', 'Z').replace('.000Z', 'Z'));
  }
  return found;
}

describe('cron expressions of Quartz', () => {
  const rows: readonly (readonly [expression: string, from: string, expected: readonly string[]])[] = [
    ['0/20 * * * * ?', '2026-01-01T00:00:05Z', ['2026-01-01T00:00:20Z', '2026-01-01T00:00:40Z', '2026-01-01T00:01Z']],
    [
      '0/3 * * ? * * *',
      '2026-01-01T00:00:00Z',
      ['2026-01-01T00:00:03Z', '2026-01-01T00:00:06Z', '2026-01-01T00:00:09Z'],
    ],
    ['0 0 12 * * ?', '2026-01-01T12:00:00Z', ['2026-01-02T12:00Z', '2026-01-03T12:00Z', '2026-01-04T12:00Z']],
    ['0 15 10 ? * MON-FRI', '2026-01-02T11:00:00Z', ['2026-01-05T10:15Z', '2026-01-06T10:15Z', '2026-01-07T10:15Z']],
    ['0 15 10 ? * 6', '2026-01-01T00:00:00Z', ['2026-01-02T10:15Z', '2026-01-09T10:15Z', '2026-01-16T10:15Z']],
    ['0 15 10 L * ?', '2026-01-01T00:00:00Z', ['2026-01-31T10:15Z', '2026-02-28T10:15Z', '2026-03-31T10:15Z']],
    ['0 15 10 L-3 * ?', '2026-01-01T00:00:00Z', ['2026-01-28T10:15Z', '2026-02-25T10:15Z', '2026-03-28T10:15Z']],
    [
      '0 0 0 LW * ?',
      '2026-01-01T00:00:00Z',
      ['2026-01-30Z', '2026-02-27Z', '2026-03-31Z'].map((day) => day.replace('Z', 'T00:00Z')),
    ],
    ['0 0 0 15W * ?', '2026-02-01T00:00:00Z', ['2026-02-16T00:00Z', '2026-03-16T00:00Z', '2026-04-15T00:00Z']],
    ['0 0 0 1W 8 ?', '2026-01-01T00:00:00Z', ['2026-08-03T00:00Z', '2027-08-02T00:00Z', '2028-08-01T00:00Z']],
    ['0 15 10 ? * 6L', '2026-01-01T00:00:00Z', ['2026-01-30T10:15Z', '2026-02-27T10:15Z', '2026-03-27T10:15Z']],
    ['0 15 10 ? * FRI#3', '2026-01-01T00:00:00Z', ['2026-01-16T10:15Z', '2026-02-20T10:15Z', '2026-03-20T10:15Z']],
    ['0 0 22-2/2 * * ?', '2026-01-01T00:00:00Z', ['2026-01-01T02:00Z', '2026-01-01T22:00Z', '2026-01-02T00:00Z']],
    ['0 0 0 ? * L', '2026-01-01T00:00:00Z', ['2026-01-03T00:00Z', '2026-01-10T00:00Z', '2026-01-17T00:00Z']],
    ['0 0 0 29 FEB ?', '2026-01-01T00:00:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z', '2036-02-29T00:00Z']],
    ['0 0 0 1 1 ? 2026-2027', '2026-06-01T00:00:00Z', ['2027-01-01T00:00Z']],
    ['0 5,35 8 1 jan ?', '2026-01-01T08:05:00Z', ['2026-01-01T08:35Z', '2027-01-01T08:05Z', '2027-01-01T08:35Z']],
  ];
  for (const [expression, from, expected] of rows) {
    it(`finds the runs of ${expression}`, () => assert.deepEqual(runs(expression, from), expected));
  }

  it('counts hours and days in its time zone, clock changes included', () => {
    const zone = 'Europe/Zurich';
    assert.deepEqual(runs('0 30 9 * * ?', '2026-03-27T12:00:00Z', { zone, count: 2 }), [
      '2026-03-28T08:30Z',
      '2026-03-29T07:30Z',
    ]);
    assert.deepEqual(runs('0 30 2 * * ?', '2026-10-24T12:00:00Z', { zone, count: 2 }), [
      '2026-10-25T01:30Z',
      '2026-10-26T01:30Z',
    ]);
  });

  it('refuses what Quartz refuses, naming the field', () => {
    const refusals: readonly (readonly [string, RegExp])[] = [
      ['* * * * *', /has 5 fields and needs 6 or 7/],
      ['0 0 0 * * *', /exclude each other/],
      ['0 0 0 ? * ?', /only one of the two day fields/],
      ['60 0 0 * * ?', /"60" is no second/],
      ['0 0/70 0 * * ?', /"0\/70" is no minute/],
      ['0 0 0 * FOO ?', /"FOO" is no month/],
      ['0 0 0 ? * 8', /"8" is no day of week/],
    ];
    for (const [expression, message] of refusals) {
      assert.throws(() => compileQuartzCron(expression, 'UTC'), { code: 'MR_CRON', message });
    }
    assert.throws(() => compileQuartzCron('0 0 0 * * ?', 'Nowhere/Town'), { code: 'MR_TIME_ZONE' });
  });
});
