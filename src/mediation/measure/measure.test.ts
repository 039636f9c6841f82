import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '#core';
import { PendingValue } from '#errors';
import type { Message } from '#message';
import { compileStep } from '../advice.ts';
import type { CompileContext } from '../context.ts';
import { CONTINUE } from '../flow.ts';
import type { Step } from '../mediator.ts';
import { createCaptures } from './captures.ts';
import { createMasking } from './create-masking.ts';
import { maskText } from './masking.ts';
import { createMediatorCounters } from './mediator-counters.ts';
import { createMessageTraces } from './message-traces.ts';
import { createObserver } from './observer.ts';

const place = { id: 'api:A/0', element: 'log', position: { file: 'a.xml', line: 1, column: 1 } };
const message = {} as unknown as Message;
const recorded = { payloads: false, properties: false, variables: false };

const masks: readonly (readonly [text: string, masked: string])[] = [
  ['{"user":"a","password":"b\\"c"}', '{"user":"a","password":"*****"}'],
  ['{"accessToken": 12}', '{"accessToken": "*****"}'],
  ['<a><ns:Password x="1">p</ns:Password></a>', '<a><ns:Password x="1">*****</ns:Password></a>'],
  ['<db user="u" password="p"/>', '<db user="u" password="*****"/>'],
  ['user=u&client_secret=s&x=1', 'user=u&client_secret=*****&x=1'],
  ['http://u:p@host/', 'http://u:*****@host/'],
  ['<parameter name="store.password">p</parameter>', '<parameter name="store.password">*****</parameter>'],
  ['<property name="password" value="a>b"/>', '<property name="password" value="*****"/>'],
  ["<property value='p' scope='axis2' name='password'/>", `<property value="*****" scope='axis2' name='password'/>`],
  ['<property name="user" value="u"/>', '<property name="user" value="u"/>'],
  ['{"note":"nothing"}', '{"note":"nothing"}'],
];
for (const [text, masked] of masks) {
  test(`of ${text} nothing secret is left`, () => assert.equal(maskText(text), masked));
}

test('counters count what ends, fails and is under way, and give what changed after a cursor', async () => {
  let now = 0;
  const counters = createMediatorCounters(() => now);
  const wait = Promise.withResolvers<boolean>();
  const run = counters.advice.around(() => {
    now += 7;
    return CONTINUE;
  }, place);
  const slow = counters.advice.around(() => wait.promise, { ...place, id: 'api:A/1' });
  const failing = counters.advice.around(
    () => {
      throw new Error('no');
    },
    { ...place, id: 'api:A/2' },
  );
  void run(message);
  const pending = slow(message);
  assert.throws(() => void failing(message), /no/);
  const { cursor, mediators } = counters.list();
  assert.deepEqual(
    mediators.map(({ id, count, errors, timeSum }) => [id, count, errors, timeSum]),
    [
      ['api:A/0', 1, 0, 7],
      ['api:A/2', 1, 1, 0],
    ],
  );
  assert.equal(mediators[0]?.histogram[6], 1);
  now += 10_000;
  wait.resolve(CONTINUE);
  await pending;
  const [later] = counters.list(cursor).mediators;
  assert.deepEqual([later?.id, later?.inFlight, later?.histogram.at(-1)], ['api:A/1', 0, 1]);
  counters.resetWindow();
  assert.deepEqual([later?.count, later?.window.count], [1, 0]);
});

test('a mediator that waits for a value and runs again counts once', () => {
  const counters = createMediatorCounters(() => 0);
  let isThere = false;
  const run = counters.advice.around(() => {
    if (!isThere) throw new PendingValue('a value', Promise.resolve());
    return CONTINUE;
  }, place);
  assert.throws(() => void run(message));
  isThere = true;
  void run(message);
  const [counted] = counters.list().mediators;
  assert.deepEqual([counted?.count, counted?.errors, counted?.inFlight], [1, 0, 0]);
});

test('the ring of traces is bounded by number and by size', () => {
  const traces = createMessageTraces({ traces: 2, characters: 1000 });
  const facts = { message: 'm', artifact: 'api:A', correlation: undefined, capture: undefined, at: 0 };
  const [first, second, third] = [traces.open(facts), traces.open(facts), traces.open(facts)];
  assert.deepEqual(
    traces.list().map(({ number }) => number),
    [2, 3],
  );
  const step = { mediator: 'api:A/0', element: 'log', start: 0, duration: 1 };
  traces.add(first, step);
  assert.equal(first.omitted, 1);
  traces.add(second, { ...step, after: { payload: 'x'.repeat(700) } });
  traces.add(third, { ...step, after: { payload: 'x'.repeat(700) } });
  assert.deepEqual(
    traces.list(2).map(({ number }) => number),
    [3],
  );
  assert.equal(traces.find(2), undefined);
});

test('a capture ends by itself after its time, and says so once', () => {
  const clock = createTestClock();
  let changes = 0;
  const captures = createCaptures(clock, () => changes++);
  captures.add({ artifact: 'api:A', next: 5, duration: 1000, recorded });
  assert.deepEqual([captures.concerns('api:A'), captures.concerns('api:B')], [true, false]);
  clock.advance(1000);
  assert.deepEqual([captures.concerns('api:A'), captures.list().length, changes], [false, 0, 1]);
});

test('a capture takes as many messages as it was told', () => {
  const captures = createCaptures(createTestClock(), () => undefined);
  captures.add({ next: 2, duration: 1000, recorded });
  const taken = ['api:A', 'api:B', 'api:C'].map((artifact) => captures.take(artifact, message)?.remaining);
  assert.deepEqual(taken, [1, 0, undefined]);
});

test('nothing wraps the mediators of an artifact that nobody observes', () => {
  const settings = { statistics: true, capturesAll: false, recorded, window: undefined, maxBodyBytes: 1 };
  using observer = createObserver(
    { ...settings, masking: createMasking({ rules: [], secretNames: true }), correlationHeaders: [] },
    createTestClock(),
    () => undefined,
  );
  const quiet = { key: 'api:A', observed: { statistics: false, trace: false } };
  assert.equal(observer.adviceFor(quiet), undefined);
  assert.notEqual(observer.adviceFor({ key: 'api:B', observed: { statistics: true, trace: false } }), undefined);
  observer.set('api:A', 'trace', true);
  assert.notEqual(observer.adviceFor(quiet), undefined);
  observer.set('api:A', 'trace', false);
  assert.equal(observer.adviceFor(quiet), undefined);
});

test('a mediator that nobody looks at runs as it was compiled', () => {
  const run = (): boolean => CONTINUE;
  const step = { element: 'log', position: place.position, compile: () => run } as unknown as Step;
  const context = { id: place.id, services: {} } as unknown as CompileContext;
  assert.equal(compileStep(step, context), run);
});
