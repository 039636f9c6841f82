import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { configureLog } from '#core';
import type { NodeChange } from '#management';
import { NodePeers } from './node-peers.ts';

configureLog({ level: 'silent', format: 'json' });

type Peer = ReturnType<ConstructorParameters<typeof NodePeers>[0]> extends ReadonlyMap<number, infer P> ? P : never;

interface TestPeer extends Peer {
  readonly changes: NodeChange[];
  readonly posted: unknown[];
}

function peer(key: number, answer: (name: string) => unknown = () => undefined): TestPeer {
  const changes: NodeChange[] = [];
  const posted: unknown[] = [];
  return {
    key,
    changes,
    posted,
    async call<T>(name: string, ...args: readonly unknown[]): Promise<T> {
      if (name === 'changed') changes.push(args[0] as NodeChange);
      return answer(name) as T;
    },
    post: (name, ...args) => void posted.push([name, ...args]),
  };
}

type Spread = (change: NodeChange) => Promise<void>;
type Took = (id: string) => void;

describe('the workers of a node', () => {
  it('make the changes of one another, and the latest of each subject when they start later', async () => {
    const all = new Map([1, 2].map((key) => [key, peer(key)]));
    const peers = new NodePeers(() => all);
    const spread = peers.methodsOf(1)['spread'] as unknown as Spread;
    await spread({ name: 'observe', subject: 'trace api:A', state: true });
    await spread({ name: 'observe', subject: 'trace api:A', state: false });
    await spread({ name: 'levels', subject: '', state: undefined });
    assert.deepEqual([all.get(1)?.changes.length, all.get(2)?.changes.length], [0, 3]);
    const late = peer(3);
    await peers.catchUp(late);
    assert.deepEqual(late.changes, [{ name: 'observe', subject: 'trace api:A', state: false }]);
  });

  it('begin no capture that has ended, and begin others with what is left of them', async () => {
    const all = new Map([1, 2].map((key) => [key, peer(key)]));
    const peers = new NodePeers(() => all);
    const { spread, 'capture.took': took } = peers.methodsOf(1) as unknown as { spread: Spread; 'capture.took': Took };
    const state = (next: number, until: number): object => ({ until, request: { next, duration: 1, recorded: {} } });
    const later = Date.now() + 60_000;
    await spread({ name: 'capture', subject: 'full', state: state(1, later) });
    await spread({ name: 'capture', subject: 'open', state: state(3, later) });
    await spread({ name: 'capture', subject: 'removed', state: state(3, later) });
    await spread({ name: 'capture', subject: 'removed', state: null });
    await spread({ name: 'capture', subject: 'late', state: state(3, 1) });
    took('full');
    took('open');
    assert.deepEqual(all.get(2)?.posted, [
      ['capture.spent', 'full'],
      ['capture.spent', 'open'],
    ]);
    const late = peer(3);
    await peers.catchUp(late);
    assert.deepEqual(late.changes, [{ name: 'capture', subject: 'open', state: state(2, later) }]);
  });

  it('go on without one that does not answer', async () => {
    const broken = peer(2, () => {
      throw new Error('it has ended');
    });
    const summary = { number: 1, at: 1, steps: 0 };
    const all = new Map([
      [1, peer(1, (name) => (name === 'own.traces' ? [summary] : undefined))],
      [2, broken],
    ]);
    const peers = new NodePeers(() => all);
    const methods = peers.methodsOf(1) as unknown as { spread: Spread; 'observed.traces': () => Promise<unknown[]> };
    await methods.spread({ name: 'correlation', subject: '', state: true });
    assert.deepEqual(await methods['observed.traces'](), [summary]);
  });
});
