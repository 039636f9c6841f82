import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { addLogFields, configureLog, getLogger } from './log.ts';

after(() => configureLog({ level: 'info', format: 'json' }));

test('fields stand in every line of every logger until they are taken away, and levels stay', () => {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  configureLog({ level: 'info', format: 'json', destination: { write } });
  const early = getLogger('test.early');
  early.level = 'debug';
  const fields = addLogFields({ 'icp.runtimeId': 'r-1' });
  early.debug({ key: 1 }, 'first');
  getLogger('test.late').info({}, 'second');
  fields[Symbol.dispose]();
  early.debug({}, 'third');
  const shown = lines.map((line) => [line['area'], line['msg'], line['icp.runtimeId'], line['key']]);
  assert.deepEqual(shown, [
    ['test.early', 'first', 'r-1', 1],
    ['test.late', 'second', 'r-1', undefined],
    ['test.early', 'third', undefined, undefined],
  ]);
});
