import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adoptForeign, sendingFactsOf } from './broker-document.ts';
import type { BrokerQueue } from './broker-queue.ts';
import { createBrokerStore, type BrokerStore } from './broker-store.ts';
import { fakeBrokerQueue } from '../../../../test/helpers/fake-broker-queue.ts';
import { createReopened } from '../../brokers/reopened.ts';
import type { StoredMessage } from '../stored-message.ts';

const storeOver = (queue: BrokerQueue): BrokerStore => createBrokerStore({ name: 'S', className: 'C', queue });
const taker = (): { owner: object; signal: AbortSignal } => ({ owner: {}, signal: new AbortController().signal });

test('what was peeked at stays until it is removed, and no other owner sees it', async () => {
  const { queue, waiting } = fakeBrokerQueue(['a', 'b']);
  const store = storeOver(queue);
  const one = taker();
  const first = await store.peek(new Set(), one);
  assert.equal(first?.message.id, 'a');
  assert.equal((await store.peek(new Set(), one))?.number, first.number);
  assert.equal(await store.size(), 2);
  const other = await store.peek(new Set(), taker());
  assert.equal(other?.message.id, 'b');
  assert.equal(await store.peek(new Set([first.number]), one), undefined);
  assert.equal(await store.remove(first.number), true);
  assert.equal(await store.remove(first.number), false);
  assert.deepEqual(waiting, []);
});

test('members of one owner get different messages, also at the same moment', async () => {
  const store = storeOver(fakeBrokerQueue(['a', 'b', 'c']).queue);
  const one = taker();
  const busy = new Set<number>();
  const peek = async (): Promise<string | undefined> => {
    const entry = await store.peek(busy, one);
    if (entry) busy.add(entry.number);
    return entry?.message.id;
  };
  const [first, second] = [await peek(), await peek()];
  assert.deepEqual([first, second, await peek(), await peek()], ['a', 'b', 'c', undefined]);
});

test('a release gives back what is held, in its order', async () => {
  const { queue, waiting } = fakeBrokerQueue(['a', 'b']);
  const store = storeOver(queue);
  const one = taker();
  const entry = await store.peek(new Set(), one);
  await store.release(one.owner);
  assert.deepEqual(waiting, ['a', 'b']);
  assert.equal(await store.remove(entry?.number ?? 0), false);
  assert.equal((await store.peek(new Set(), one))?.message.id, 'a');
});

test('after a lost connection the first peek fails and the next one begins anew', async () => {
  const { queue, cut, waiting } = fakeBrokerQueue(['a']);
  const store = storeOver(queue);
  const one = taker();
  const entry = await store.peek(new Set(), one);
  cut();
  await assert.rejects(store.peek(new Set(), one), /the connection is lost/);
  assert.equal(await store.remove(entry?.number ?? 0), false);
  assert.deepEqual(waiting, ['a']);
  assert.equal((await store.peek(new Set(), one))?.message.id, 'a');
});

test('a message that somebody looked at keeps its number and can be removed by it', async () => {
  const { queue, waiting } = fakeBrokerQueue(['a', 'b']);
  const store = storeOver(queue);
  const [first] = (await store.list({ limit: 10 })).entries;
  assert.deepEqual(
    (await store.list({ limit: 1 })).entries.map(({ number }) => number),
    [first?.number],
  );
  assert.equal(await store.remove(first?.number ?? 0), true);
  assert.deepEqual(waiting, ['b']);
});

test('a connection is opened once for all who wait, again after it broke, and again after a failure', async () => {
  let opened = 0;
  let isFailing = false;
  const links: { isOpen: boolean; close(): Promise<void> }[] = [];
  const reopened = createReopened(async () => {
    opened++;
    await Promise.resolve();
    if (isFailing) throw new Error('down');
    const link = { isOpen: true, close: async () => void (link.isOpen = false) };
    links.push(link);
    return link;
  });
  await Promise.all([reopened.get(), reopened.get()]);
  assert.equal(opened, 1);
  links[0]!.isOpen = false;
  await Promise.all([reopened.get(), reopened.get(), reopened.get()]);
  assert.equal(opened, 2);
  links[1]!.isOpen = false;
  isFailing = true;
  await assert.rejects(reopened.get(), /down/);
  isFailing = false;
  const last = await reopened.get();
  await reopened.close();
  assert.equal(last.isOpen, false);
  assert.equal(opened, 4);
});

test('properties say how a message is sent', async () => {
  const plain = await adoptForeign({ id: '1', text: 'x', headers: new Map() });
  const facts = (
    properties: readonly (readonly [string, unknown])[],
    axis2: readonly (readonly [string, unknown])[] = [],
  ) => sendingFactsOf({ ...plain, properties: new Map(properties), axis2: new Map(axis2) } satisfies StoredMessage, 4);
  assert.deepEqual(facts([]), { priority: 4, timeToLive: 0, isPersistent: true, properties: new Map() });
  assert.equal(facts([], [['JMS_PRIORITY', '7']]).priority, 7);
  assert.equal(facts([['JMS_PROD_PRIORITY', 9]], [['JMS_PRIORITY', '7']]).priority, 9);
  assert.equal(facts([['JMS_PROD_DELIVERY_MODE', '1']]).isPersistent, false);
  assert.equal(facts([['JMS_PROD_TIME_TO_LIVE', '60000']]).timeToLive, 60_000);
  assert.deepEqual(
    facts([
      ['JMS_MSG_P_region', 'north'],
      ['other', 'x'],
    ]).properties,
    new Map([['region', 'north']]),
  );
  assert.throws(() => facts([['JMS_PROD_PRIORITY', 'high']]), /must be a whole number, found "high"/);
});

test('what others put into a queue is known by its beginning', async () => {
  const typeOf = async (text: string): Promise<string | undefined> =>
    (await adoptForeign({ id: '', text, headers: new Map() })).payload.origin.contentType;
  assert.equal(await typeOf(' {"a":1}'), 'application/json; charset=UTF-8');
  assert.equal(await typeOf('<a/>'), 'text/xml; charset=UTF-8');
  const soap12 = '<?xml version="1.0"?><e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope"/>';
  assert.equal(await typeOf(soap12), 'application/soap+xml; charset=UTF-8');
  assert.equal(await typeOf('plain'), 'text/plain; charset=UTF-8');
});
