import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCompanions } from '../../src/artifacts/companions.ts';

test('companions start in order and stop in the opposite one, each once', async () => {
  const done: string[] = [];
  const companions = createCompanions();
  for (const id of ['a', 'b']) {
    companions.add({ id, start: () => void done.push(`start ${id}`), stop: () => void done.push(`stop ${id}`) });
  }
  assert.deepEqual(await companions.running.start(), []);
  await companions.running.stop();
  await companions.running.stop();
  assert.deepEqual(done, ['start a', 'start b', 'stop b', 'stop a']);
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
  assert.deepEqual(await companions.running.start(), [
    { code: 'MR_ARTIFACT_START', severity: 'error', message, position },
  ]);
  await companions.running.stop();
  assert.deepEqual(done, ['start']);
});
