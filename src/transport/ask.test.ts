import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestClock } from '#core';
import { bodySourceOf } from '#message';
import { ask } from './ask.ts';
import type { HttpSender, OutgoingRequest, ResponseHandler } from './contract.ts';

/** A sender whose exchanges the test answers; `aborted` counts those that were given up. */
function createSender(): { sender: HttpSender; sent: OutgoingRequest[]; handlers: ResponseHandler[]; aborted: number } {
  const seen = { sent: [] as OutgoingRequest[], handlers: [] as ResponseHandler[], aborted: 0 };
  const sender: HttpSender = {
    send(request, handler) {
      seen.sent.push(request);
      seen.handlers.push(handler);
      return { abort: () => void seen.aborted++ };
    },
    [Symbol.asyncDispose]: async () => {},
  };
  return Object.assign(seen, { sender });
}

const question = { url: 'http://host:1/a?b=c', method: 'GET', headers: [], body: null };

test('the whole answer is given', async () => {
  const made = createSender();
  const answer = ask(made.sender, question, { clock: createTestClock(), patience: 10, size: 10 });
  assert.deepEqual([made.sent[0]?.origin, made.sent[0]?.target], ['http://host:1', '/a?b=c']);
  made.handlers[0]?.onResponse({ status: 201, reason: '', headers: ['A', 'b'], body: bodySourceOf(Buffer.from('hä')) });
  const { status, headers, text } = await answer;
  assert.deepEqual([status, headers, text], [201, ['A', 'b'], 'hä']);
});

test('an answer that is too late or too large is refused', async () => {
  const clock = createTestClock();
  const made = createSender();
  const late = ask(made.sender, question, { clock, patience: 10, size: 10 });
  clock.advance(10);
  await assert.rejects(late, { code: 'MR_NO_ANSWER', status: 504 });
  assert.equal(made.aborted, 1);
  const large = ask(made.sender, question, { clock, patience: 10, size: 3 });
  const body = bodySourceOf(Buffer.from('long'));
  made.handlers[1]?.onResponse({ status: 200, reason: '', headers: [], body });
  await assert.rejects(large, { status: 413 });
});

test('of an answer whose body is not wanted the status is given, whatever its length', async () => {
  const made = createSender();
  const answer = ask(made.sender, question, { clock: createTestClock(), patience: 10, size: 0 });
  let cancelled = 0;
  const body = { ...bodySourceOf(Buffer.alloc(1_000_000)), cancel: () => void cancelled++ };
  made.handlers[0]?.onResponse({ status: 202, reason: '', headers: [], body });
  assert.deepEqual([(await answer).status, cancelled], [202, 1]);
});
