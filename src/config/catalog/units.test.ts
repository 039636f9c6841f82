import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDuration, type DurationUnit } from './units.ts';

test('durations are converted as the original does', () => {
  const vectors: readonly (readonly [string, DurationUnit, number])[] = [
    ['10', 'm', 10],
    ['10h', 'm', 600],
    ['10 h', 'm', 600],
    ['10     h', 'm', 600],
    ['1d', 'm', 1440],
    ['1m', 's', 60],
    ['1', 's', 1],
    ['1m', 'ms', 60_000],
    ['1.9m', 's', 60],
    ['90s', 'm', 1],
    ['-1', 'ms', -1],
    ['0ms', 'm', 0],
  ];
  for (const [text, unit, expected] of vectors) assert.equal(parseDuration(text, unit), expected, `${text} in ${unit}`);
});

test('unknown units, texts without number and values that vanish are refused', () => {
  for (const text of ['adw', '10x', '10ms', '', 'm', '10 M']) {
    assert.equal(typeof parseDuration(text, 'm'), 'string', text);
  }
});
