import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '#core';
import type { DeliveryPolicy } from './delivery-policy.ts';
import { EndpointState, type EndpointStateName, type SuspensionDefaults } from './endpoint-state.ts';

type Event =
  | { readonly fail: number }
  | { readonly pass: number }
  | { readonly rest: number }
  | 'succeed'
  | 'off'
  | 'on';
/** The state after the event, and whether a message may be sent then. */
type Step = readonly [event: Event, state: EndpointStateName, ready: boolean];

interface Row {
  readonly title: string;
  readonly mark?: Partial<DeliveryPolicy['mark']>;
  readonly suspend?: Partial<DeliveryPolicy['suspend']>;
  readonly defaults?: Partial<SuspensionDefaults>;
  readonly steps: readonly Step[];
}

const refused = { fail: 101503 } as const;
const timedOut = { fail: 101504 } as const;
const closed = { fail: 101505 } as const;

/** Every transition of runtime-core 5.5. */
const rows: readonly Row[] = [
  {
    title: 'active stays active after an answer',
    steps: [['succeed', 'active', true]],
  },
  {
    title: 'any error suspends for 30 seconds, time lets one through, an answer makes active',
    steps: [
      [refused, 'suspended', false],
      [{ pass: 29_999 }, 'suspended', false],
      [{ pass: 1 }, 'suspended', true],
      ['succeed', 'active', true],
    ],
  },
  {
    title: 'an answer that was on its way makes a suspended endpoint active at once',
    steps: [
      [refused, 'suspended', false],
      ['succeed', 'active', true],
    ],
  },
  {
    title: 'an error outside of both lists changes nothing',
    suspend: { errorCodes: [101500] },
    steps: [[refused, 'active', true]],
  },
  {
    title: 'an error of the suspending list suspends',
    suspend: { errorCodes: [101500, 101503] },
    steps: [[refused, 'suspended', false]],
  },
  {
    title: 'the list -1 suspends for nothing',
    suspend: { errorCodes: [-1], initialDuration: 0 },
    steps: [
      [refused, 'active', true],
      [{ fail: 0 }, 'active', true],
    ],
  },
  {
    title: 'marking codes without retries suspend at once, whatever the suspending list says',
    suspend: { errorCodes: [1] },
    steps: [[timedOut, 'suspended', false]],
  },
  {
    title: 'by default 101504 and 101505 mark, 101503 suspends',
    mark: { retriesBeforeSuspension: 2 },
    steps: [
      [timedOut, 'timeout', true],
      [closed, 'timeout', true],
      [refused, 'suspended', false],
    ],
  },
  {
    title: 'a list of its own replaces the marking codes',
    mark: { errorCodes: [101503], retriesBeforeSuspension: 1 },
    steps: [
      [refused, 'timeout', true],
      [timedOut, 'suspended', false],
    ],
  },
  {
    title: 'retries run out, then it is suspended, and an answer gives them back',
    mark: { errorCodes: [101503], retriesBeforeSuspension: 2 },
    steps: [
      [refused, 'timeout', true],
      [refused, 'timeout', true],
      [refused, 'suspended', false],
      ['succeed', 'active', true],
      [refused, 'timeout', true],
      [refused, 'timeout', true],
      [refused, 'suspended', false],
    ],
  },
  {
    title: 'between retries the delay must pass',
    mark: { errorCodes: [101503], retriesBeforeSuspension: 1, retryDelay: 200 },
    steps: [
      [refused, 'timeout', false],
      [{ pass: 199 }, 'timeout', false],
      [{ pass: 1 }, 'timeout', true],
      ['succeed', 'active', true],
    ],
  },
  {
    title: 'a marked endpoint keeps its mark after an error of neither list',
    mark: { errorCodes: [101504], retriesBeforeSuspension: 1 },
    suspend: { errorCodes: [1] },
    steps: [
      [timedOut, 'timeout', true],
      [refused, 'timeout', true],
    ],
  },
  {
    title: 'suspensions grow by the factor, cut to whole milliseconds, up to the maximum',
    suspend: { initialDuration: 101, progressionFactor: 1.5, maximumDuration: 200 },
    steps: [
      [refused, 'suspended', false],
      [{ pass: 101 }, 'suspended', true],
      [refused, 'suspended', false],
      [{ pass: 150 }, 'suspended', false],
      [{ pass: 1 }, 'suspended', true],
      [refused, 'suspended', false],
      [{ pass: 199 }, 'suspended', false],
      [{ pass: 1 }, 'suspended', true],
    ],
  },
  {
    title: 'an answer begins the progression anew',
    suspend: { initialDuration: 100, progressionFactor: 10 },
    steps: [
      [refused, 'suspended', false],
      [{ pass: 100 }, 'suspended', true],
      ['succeed', 'active', true],
      [refused, 'suspended', false],
      [{ pass: 100 }, 'suspended', true],
    ],
  },
  {
    title: 'an initial duration of 0 suspends for no time',
    suspend: { initialDuration: 0 },
    steps: [[refused, 'suspended', true]],
  },
  {
    title: 'a negative duration is the default',
    suspend: { initialDuration: -1 },
    steps: [
      [refused, 'suspended', false],
      [{ pass: 29_999 }, 'suspended', false],
      [{ pass: 1 }, 'suspended', true],
    ],
  },
  {
    title: 'the older spelling counts seconds and does not grow',
    suspend: { seconds: 2 },
    defaults: { factor: 3 },
    steps: [
      [refused, 'suspended', false],
      [{ pass: 2000 }, 'suspended', true],
      [refused, 'suspended', false],
      [{ pass: 1999 }, 'suspended', false],
      [{ pass: 1 }, 'suspended', true],
    ],
  },
  {
    title: 'common values hold where the endpoint is silent',
    defaults: { duration: 10, factor: 2 },
    steps: [
      [refused, 'suspended', false],
      [{ pass: 10 }, 'suspended', true],
      [refused, 'suspended', false],
      [{ pass: 19 }, 'suspended', false],
      [{ pass: 1 }, 'suspended', true],
    ],
  },
  {
    title: 'common values may replace those of the endpoint',
    suspend: { initialDuration: 60_000, progressionFactor: 5, seconds: 60 },
    defaults: { duration: 10, factor: 1, overrides: true },
    steps: [
      [refused, 'suspended', false],
      [{ pass: 10 }, 'suspended', true],
    ],
  },
  {
    title: 'switched off it takes nothing and notes nothing; switched on it is active',
    steps: [
      ['off', 'off', false],
      ['succeed', 'off', false],
      [refused, 'off', false],
      [{ rest: 5 }, 'off', false],
      [{ pass: 100_000 }, 'off', false],
      ['on', 'active', true],
    ],
  },
  {
    title: 'switching on ends a suspension and its progression',
    suspend: { initialDuration: 100, progressionFactor: 10 },
    steps: [
      [refused, 'suspended', false],
      ['on', 'active', true],
      [refused, 'suspended', false],
      [{ pass: 100 }, 'suspended', true],
    ],
  },
  {
    title: 'a rest that a group gives ends by itself',
    steps: [
      [{ rest: 50 }, 'suspended', false],
      [{ pass: 50 }, 'suspended', true],
      ['succeed', 'active', true],
    ],
  },
];

for (const { title, mark, suspend, defaults, steps } of rows) {
  test(`endpoint state: ${title}`, () => {
    const clock = createTestClock();
    const policy: DeliveryPolicy = {
      timeout: undefined,
      timeoutAction: undefined,
      mark: { errorCodes: [], retriesBeforeSuspension: 0, retryDelay: 0, ...mark },
      suspend: {
        errorCodes: [],
        initialDuration: undefined,
        progressionFactor: undefined,
        maximumDuration: Number.MAX_SAFE_INTEGER,
        seconds: undefined,
        ...suspend,
      },
      retry: { enabled: [], disabled: [] },
    };
    const state = new EndpointState(policy, clock, { duration: 30_000, factor: 1, ...defaults });
    for (const [index, [event, name, ready]] of steps.entries()) {
      if (event === 'succeed') state.succeeded();
      else if (event === 'off') state.switchOff();
      else if (event === 'on') state.switchOn();
      else if ('fail' in event) state.failed(event.fail);
      else if ('rest' in event) state.rest(event.rest);
      else clock.advance(event.pass);
      assert.deepEqual([state.name, state.isReady()], [name, ready], `after step ${index + 1}`);
    }
  });
}
