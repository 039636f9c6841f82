import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContents } from './contents.ts';
import { driftOf } from './drift.ts';
import type { RuntimeNode } from './registry.ts';

const contents = createContents();

function node(id: string, sources: Readonly<Record<string, string>>): RuntimeNode {
  const artifacts = Object.entries(sources).map(([name, configuration]) =>
    contents.intern({ kind: 'api', name, detail: { configuration } }),
  );
  return { id, group: 'g', artifacts, readAt: 1 } as unknown as RuntimeNode;
}

test('what most nodes run is what the others differ from', () => {
  const drift = driftOf([
    node('a', { Orders: 'old', Stock: 's' }),
    node('b', { Orders: 'new', Stock: 's', Extra: 'x' }),
    node('c', { Orders: 'new' }),
    node('unread', {}),
  ]);
  assert.deepEqual(
    [...drift].map(([id, list]) => [id, list.map(({ name, how }) => `${name} ${how}`)]),
    [
      ['a', ['Orders different']],
      ['b', ['Extra additional']],
      ['c', ['Stock missing']],
    ],
  );
});

test('a node alone is what it should be', () => {
  assert.deepEqual([...driftOf([node('a', { Orders: 'old' })])], [['a', []]]);
});
