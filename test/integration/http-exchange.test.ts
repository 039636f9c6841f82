import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { getAllHeaders, getHeader, readBody } from '#message';
import { bodySourceOf } from '#message';
import { echo, exchange, generatedBody, originOf, unlimited, withServer } from './http-support.ts';

for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
  test(`${method} arrives with its raw target and is answered`, () =>
    withServer(echo, async (sender, listener) => {
      const target = '/a%2Fb//c;d=1?x=%20y&x=2';
      const answer = await exchange(sender, { origin: originOf(listener), method, target });
      assert.equal(answer.status, 200);
      assert.equal(answer.reason, 'OK');
      assert.equal(getHeader(answer.headers, 'x-method'), method);
      assert.equal(getHeader(answer.headers, 'x-target'), target);
    }));
}

test('header fields keep order, spelling and repetition both ways', () =>
  withServer(echo, async (sender, listener) => {
    const headers = ['X-One', 'a', 'x-two', 'b', 'X-One', 'c', 'Ünsafe'.slice(1), 'caf\u00e9'];
    const answer = await exchange(sender, { origin: originOf(listener), headers });
    const start = answer.headers.indexOf('X-One');
    assert.deepEqual(answer.headers.slice(start, start + headers.length), headers);
    assert.deepEqual(getAllHeaders(answer.headers, 'x-one'), ['a', 'c']);
    assert.notEqual(getHeader(answer.headers, 'Date'), undefined);
    assert.equal(getHeader(answer.headers, 'Server'), undefined);
  }));

for (const [name, size] of [
  ['no bytes', 0],
  ['1 byte', 1],
  ['64 KB', 65_536],
  ['5 MB', 5_000_000],
] as const) {
  const bytes = randomBytes(size);
  test(`a sized body of ${name} goes both ways`, () =>
    withServer(echo, async (sender, listener) => {
      const answer = await exchange(sender, { origin: originOf(listener), method: 'POST', body: bytes });
      assert.equal(Buffer.compare(answer.body, bytes), 0);
      assert.equal(getHeader(answer.headers, 'content-length'), String(size));
    }));

  test(`a source of ${name} with known length goes both ways`, () =>
    withServer(echo, async (sender, listener) => {
      const body = bodySourceOf(bytes);
      const answer = await exchange(sender, { origin: originOf(listener), method: 'PUT', body });
      assert.equal(Buffer.compare(answer.body, bytes), 0);
      assert.equal(getHeader(answer.headers, 'content-length'), String(size));
    }));

  test(`a chunked body of ${name} goes both ways`, () =>
    withServer(echo, async (sender, listener) => {
      const body = generatedBody(bytes, size === 0 ? 0 : 2);
      const answer = await exchange(sender, { origin: originOf(listener), method: 'POST', body });
      assert.equal(Buffer.compare(answer.body, size === 0 ? bytes : Buffer.concat([bytes, bytes])), 0);
    }));
}

test('the listener can read a body with DELETE and one with GET', () =>
  withServer(echo, async (sender, listener) => {
    for (const method of ['DELETE', 'GET']) {
      const answer = await exchange(sender, { origin: originOf(listener), method, body: Buffer.from('abc') });
      assert.equal(Buffer.from(answer.body).toString(), 'abc');
    }
  }));

test('a request without an entity has no body', () =>
  withServer(
    (request, responder) => {
      responder.respond({ status: request.body === null ? 200 : 500, headers: [] }, null);
    },
    async (sender, listener) => {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await exchange(sender, { origin: originOf(listener), method });
        assert.equal(answer.status, 200);
        assert.equal(getHeader(answer.headers, 'content-length'), '0');
      }
    },
  ));

test('HEAD, 204 and 304 have no body, whatever the handler gives', () =>
  withServer(
    (request, responder) => {
      const status = Number(request.target.slice(1));
      responder.respond({ status, headers: ['ETag', '"x"'] }, Buffer.from('some text'));
    },
    async (sender, listener) => {
      const origin = originOf(listener);
      const head = await exchange(sender, { origin, method: 'HEAD', target: '/200' });
      assert.deepEqual([head.status, head.body.length, getHeader(head.headers, 'content-length')], [200, 0, '9']);
      for (const target of ['/204', '/304']) {
        const answer = await exchange(sender, { origin, target });
        assert.deepEqual([`/${answer.status}`, answer.body.length], [target, 0]);
      }
      assert.equal((await exchange(sender, { origin, target: '/200' })).body.length, 9);
    },
  ));

test('a handler that reads the whole body first gets all of it', () =>
  withServer(
    (request, responder) => {
      assert.ok(request.body);
      readBody(request.body, unlimited).then(
        (bytes) => responder.respond({ status: 200, headers: [] }, Buffer.from(String(bytes.length))),
        () => responder.respond({ status: 500, headers: [] }, null),
      );
    },
    async (sender, listener) => {
      const body = generatedBody(Buffer.alloc(10_000, 1), 300);
      const answer = await exchange(sender, { origin: originOf(listener), method: 'POST', body });
      assert.equal(Buffer.from(answer.body).toString(), '3000000');
    },
  ));
