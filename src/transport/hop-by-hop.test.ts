import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asksToClose, copyHeaders, sentHeaders } from './hop-by-hop.ts';

test('a copy keeps order, spelling and repetition of fields that go all the way', () => {
  const headers = ['Host', 'a', 'X-B', '1', 'x-b', '2', 'Content-Length', '3', 'User-Agent', 'u'];
  assert.deepEqual(copyHeaders(headers), headers);
  assert.notEqual(copyHeaders(headers), headers);
});

test('fields of one hop are left out in any spelling', () => {
  const hop = ['connection', 'Keep-Alive', 'PROXY-CONNECTION', 'Proxy-Authorization', 'te', 'Trailer', 'Upgrade'];
  const headers = [...hop, 'Transfer-Encoding', 'Proxy-Authenticate'].flatMap((name) => [name, 'x']);
  assert.deepEqual(copyHeaders([...headers, 'X-A', 'b']), ['X-A', 'b']);
});

test('fields named in Connection are left out wherever they stand, protected ones stay', () => {
  const headers = ['X-Hop', '1', 'Connection', 'x-hop, AUTHORIZATION', 'Authorization', 't', 'X-Hop', '2', 'X-A', 'b'];
  assert.deepEqual(copyHeaders(headers), ['Authorization', 't', 'X-A', 'b']);
});

test('what is sent has neither length nor expectation nor fields of one hop', () => {
  const headers = ['Content-Length', '3', 'Expect', '100-continue', 'Accept', '*/*'];
  assert.deepEqual(sentHeaders(headers), ['Accept', '*/*']);
  const named = ['X-Hop', '1', 'Connection', 'x-hop', 'Content-Length', '3', 'X-A', 'b'];
  assert.deepEqual(sentHeaders(named), ['X-A', 'b']);
  const sendable = ['Accept', '*/*', 'X-B', '1'];
  assert.deepEqual(sentHeaders(sendable), sendable);
});

test('close is found among other options of the connection', () => {
  assert.equal(asksToClose(['connection', 'X-A , Close']), true);
  assert.equal(asksToClose(['Connection', 'keep-alive', 'X-A', 'close']), false);
});
