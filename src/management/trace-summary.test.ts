import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { MessageTrace } from '#mediation';
import { summaryOf } from './trace-summary.ts';

const trace: MessageTrace = {
  number: 3,
  message: 'urn:uuid:1',
  artifact: 'api:Orders',
  correlation: 'abc',
  capture: undefined,
  at: 0,
  duration: 12,
  failed: false,
  omitted: 0,
  steps: [
    {
      mediator: 'api:Orders/in/0/then/0',
      element: 'call',
      start: 1,
      duration: 8,
      after: { 'axis2:HTTP_SC': '503', payload: 'x' },
    },
    {
      mediator: 'api:Orders/in/0',
      element: 'filter',
      start: 0,
      duration: 10,
      before: {
        'header:X-Kind': 'Express',
        'axis2:HTTP_METHOD': 'POST',
        'axis2:TransportInURL': '/order/7',
        payload: '{"id":7}',
      },
    },
    {
      mediator: 'api:Orders/in/1',
      element: 'respond',
      start: 11,
      duration: 1,
      before: { 'axis2:HTTP_SC': '200', payload: `${'x'.repeat(10)}… (70000 characters)` },
    },
  ],
};

it('a trace in a list says what asked, what was answered and where it ended', () => {
  const { method, path, status, size, endedIn, steps } = summaryOf(trace);
  assert.deepEqual(
    [method, path, status, size, endedIn, steps],
    ['POST', '/order/7', 200, 70_000, 'api:Orders/in/1', 3],
  );
  const [inner, ...others] = trace.steps;
  assert.ok(inner);
  const failed = summaryOf({ ...trace, failed: true, steps: [{ ...inner, error: 'refused' }, ...others] });
  assert.equal(failed.endedIn, 'api:Orders/in/0/then/0');
  const bare = summaryOf({ ...trace, steps: [{ mediator: 'a', element: 'log', start: 0, duration: 1 }] });
  assert.deepEqual(
    [bare.method, bare.path, bare.status, bare.size, bare.endedIn],
    [undefined, undefined, undefined, undefined, 'a'],
  );
});

it('a trace is found by any text that was recorded of its message', () => {
  const found = (word: string): boolean => summaryOf(trace, word).isFound;
  assert.deepEqual(['', 'express', '"id":7', 'abc', 'x-kind: exp', 'api:orders/in/1'].map(found), Array(6).fill(true));
  assert.deepEqual(['nowhere', 'abcd'].map(found), [false, false]);
});
