import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TraceSummary } from '#management';
import { timeBounds, type MediatorCounts } from '#mediation';
import { createMergedCounters } from './merged-counters.ts';
import { createMergedTraces } from './merged-traces.ts';

function counts(id: string, count: number, facts: Partial<MediatorCounts> = {}): MediatorCounts {
  const histogram = [count, ...timeBounds.map(() => 0)];
  return {
    id,
    element: 'log',
    position: { file: 'a.xml', line: 1, column: 1 },
    count,
    errors: 1,
    inFlight: 1,
    timeSum: 2.5,
    histogram,
    window: { count, errors: 1, timeSum: 2.5 },
    ...facts,
  };
}

describe('counters of several processes', () => {
  it('are sums, of which a reader gets what has changed since', () => {
    const merged = createMergedCounters();
    merged.take(1, { cursor: 7, mediators: [counts('a', 3), counts('b', 1)] });
    merged.take(2, { cursor: 4, mediators: [counts('a', 5)] });
    assert.deepEqual([merged.cursorOf(1), merged.cursorOf(2), merged.cursorOf(3)], [7, 4, 0]);
    const { cursor, mediators } = merged.list(0);
    assert.deepEqual(
      mediators.map(({ id, count, errors, inFlight, timeSum }) => [id, count, errors, inFlight, timeSum]),
      [
        ['a', 8, 2, 2, 5],
        ['b', 1, 1, 1, 2.5],
      ],
    );
    assert.equal(mediators[0]?.histogram[0], 8);
    assert.equal(mediators[0].window.count, 8);
    merged.take(2, { cursor: 4, mediators: [counts('a', 5)] });
    assert.deepEqual(merged.list(cursor), { cursor, mediators: [] }, 'what is known already is no change');
    merged.take(2, { cursor: 5, mediators: [counts('a', 6)] });
    assert.deepEqual(
      merged.list(cursor).mediators.map(({ id, count }) => [id, count]),
      [['a', 9]],
    );
  });

  it('keep what a process counted that has ended, and begin anew for another mediator', () => {
    const merged = createMergedCounters();
    merged.take(1, { cursor: 1, mediators: [counts('a', 3)] });
    merged.left(1);
    merged.take(2, { cursor: 1, mediators: [counts('a', 2)] });
    const [sum] = merged.list(0).mediators;
    assert.deepEqual([sum?.count, sum?.inFlight, merged.cursorOf(1)], [5, 1, 0]);
    merged.left(2);
    assert.deepEqual([merged.list(0).mediators[0]?.count, merged.list(0).mediators[0]?.inFlight], [5, 0]);
    merged.take(3, { cursor: 1, mediators: [counts('a', 1, { element: 'drop' })] });
    assert.equal(merged.list(0).mediators[0]?.count, 1);
  });
});

it('traces of several processes are numbered in the order in which they began, for good', () => {
  const merged = createMergedTraces();
  const trace = (number: number, at: number): TraceSummary => ({
    number,
    at,
    message: 'm',
    artifact: 'api:A',
    correlation: undefined,
    capture: undefined,
    duration: 1,
    failed: false,
    steps: 2,
    omitted: 0,
    method: 'GET',
    path: '/a',
    status: 200,
    size: 0,
    endedIn: undefined,
    isFound: true,
  });
  const shown = (lists: Parameters<typeof merged.merge>[0]): [number, number][] =>
    merged.merge(lists).map(({ number, at }) => [number, at]);
  const first = [trace(1, 10)];
  assert.deepEqual(
    shown(
      new Map([
        [1, first],
        [2, [trace(1, 5), trace(2, 20)]],
      ]),
    ),
    [
      [1, 5],
      [2, 10],
      [3, 20],
    ],
  );
  assert.deepEqual(merged.placeOf(2), { key: 1, number: 1 });
  assert.deepEqual(
    shown(
      new Map([
        [1, first],
        [2, [trace(2, 20), trace(3, 15)]],
      ]),
    ),
    [
      [2, 10],
      [3, 20],
      [4, 15],
    ],
  );
  assert.equal(merged.placeOf(1), undefined);
});
