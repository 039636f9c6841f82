import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpRequest, HttpResponder } from '#transport';
import { resolveCaller } from './caller-address.ts';

const responder: HttpResponder = { finished: false, respond: () => undefined, onGone: () => undefined };

/** The caller that a handler sees. */
function caller(peer: string, forwarded: readonly string[], trusted = ['127.0.0.0/8', '10.0.0.0/8', '::1']): string {
  let seen = '';
  const handle = resolveCaller((request) => void (seen = request.peer.address), trusted);
  const request: HttpRequest = {
    method: 'GET',
    target: '/',
    headers: forwarded.flatMap((value) => ['X-Forwarded-For', value]),
    body: null,
    peer: { address: peer, port: 1 },
    scheme: 'http',
    localPort: 80,
    version: '1.1',
  };
  handle(request, responder);
  return seen;
}

test('a stranger cannot say that it is somebody else', () => {
  assert.equal(caller('192.0.2.1', ['203.0.113.9']), '192.0.2.1');
});

test('behind trusted proxies the last address that is none of them counts', () => {
  assert.equal(caller('127.0.0.1', ['203.0.113.9']), '203.0.113.9');
  assert.equal(caller('127.0.0.1', ['198.51.100.7, 203.0.113.9, 10.1.2.3']), '203.0.113.9');
  assert.equal(caller('::1', ['198.51.100.7', '203.0.113.9']), '203.0.113.9');
  assert.equal(caller('127.0.0.1', ['10.0.0.1']), '10.0.0.1');
});

test('ports and brackets are left out, and what is no address ends the search', () => {
  assert.equal(caller('127.0.0.1', ['203.0.113.9:4711']), '203.0.113.9');
  assert.equal(caller('127.0.0.1', ['[2001:db8::1]:80']), '2001:db8::1');
  assert.equal(caller('127.0.0.1', ['203.0.113.9, unknown']), '127.0.0.1');
  assert.equal(caller('127.0.0.1', ['unknown, 10.0.0.1']), '10.0.0.1');
});

test('a network that is none is an error that names it', () => {
  assert.throws(() => caller('127.0.0.1', [], ['10.0.0.0/40']), {
    code: 'MR_CONFIG_ADDRESS',
    message: /10\.0\.0\.0\/40/,
  });
  assert.throws(() => caller('127.0.0.1', [], ['proxy.example']), { code: 'MR_CONFIG_ADDRESS' });
});
