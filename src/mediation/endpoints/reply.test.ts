import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeader, Message, Payload } from '#message';
import { takeReply } from './reply.ts';
import { silentExchange } from '../../../test/helpers/silent-exchange.ts';

function request(): Message {
  const message = new Message(silentExchange(), new Payload(), []);
  message.properties.set('REST_URL_PREFIX', 'http://here:8280');
  return message;
}

/** The `Location` of a message after the answer of a back end. */
function locationAfter(status: number, preserved: readonly string[]): string | undefined {
  const message = request();
  const headers = ['Location', 'http://back:9000/jobs/1?x=y'];
  takeReply(message, { status, reason: '', headers, body: null }, { blocking: false, preserved: new Set(preserved) });
  return getHeader(message.headers, 'Location');
}

test('a Location leads through the listener, unless its status or the configuration keeps it', () => {
  assert.equal(locationAfter(202, ['content-type']), 'http://here:8280/jobs/1?x=y');
  assert.equal(locationAfter(302, ['content-type']), 'http://back:9000/jobs/1?x=y');
  assert.equal(locationAfter(202, ['content-type', 'location']), 'http://back:9000/jobs/1?x=y');
});
