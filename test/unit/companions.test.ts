import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCompanions, type Companions } from '../../src/artifacts/companions.ts';

/** Companions that note what happens to them. */
function noting(...ids: readonly string[]): { companions: Companions; done: string[] } {
  const done: string[] = [];
  const companions = createCompanions();
  for (const id of ids) {
    companions.add({ id, start: () => void done.push(`start ${id}`), stop: () => void done.push(`stop ${id}`) });
  }
  return { companions, done };
}

test('companions start in order and stop in the opposite one, each once', async () => {
  const { companions, done } = noting('a', 'b');
  companions.hold();
  assert.deepEqual(await companions.begin(), []);
  await companions.release();
  assert.deepEqual(done, ['start a', 'start b', 'stop b', 'stop a']);
  assert.equal(companions.canGoOn, false);
});

test('worlds that share them start them once, and the last one to leave stops them', async () => {
  const { companions, done } = noting('a');
  companions.hold();
  await companions.begin();
  companions.hold();
  assert.deepEqual(await companions.begin(), []);
  await companions.release();
  assert.deepEqual([done, companions.canGoOn], [['start a'], true]);
  await companions.release();
  assert.deepEqual(done, ['start a', 'stop a']);
});

test('one that comes after the start is started at once, and stopped with the others', async () => {
  const { companions, done } = noting('a');
  companions.hold();
  await companions.begin();
  companions.add({ id: 'late', start: () => void done.push('start late'), stop: () => void done.push('stop late') });
  await Promise.resolve();
  await companions.release();
  assert.deepEqual(done, ['start a', 'start late', 'stop late', 'stop a']);
});

test('one that is still starting when the last world leaves is stopped as soon as it runs', async () => {
  const { companions, done } = noting('a');
  companions.hold();
  await companions.begin();
  const { promise: started, resolve } = Promise.withResolvers<void>();
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  companions.add({ id: 'late', start: () => started, stop });
  await companions.release();
  assert.deepEqual(done, ['start a', 'stop a']);
  resolve();
  await stopped;
});

test('one that does not start is a problem with its place, and is not stopped', async () => {
  const done: string[] = [];
  const companions = createCompanions();
  const position = { file: 'a.xml', line: 3, column: 5 };
  companions.add({
    id: 'sequence:a/0',
    position,
    start: () => Promise.reject(new Error('no key')),
    stop: () => void done.push('stop'),
  });
  companions.add({ id: 'sequence:a/1', start: () => void done.push('start') });
  const message = 'sequence:a/0 did not start: no key';
  companions.hold();
  assert.deepEqual(await companions.begin(), [{ code: 'MR_ARTIFACT_START', severity: 'error', message, position }]);
  assert.equal(companions.canGoOn, false);
  await companions.release();
  assert.deepEqual(done, ['start']);
});
