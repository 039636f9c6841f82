import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type BodySink, type BodySource, bodySourceOf, readBody } from '#message';
import type { HttpRequest, HttpResponder, ResponseHead } from '#transport';
import { serveRest } from './serve.ts';
import { createSite } from './site.ts';

interface Answer {
  readonly head: ResponseHead;
  readonly text: string;
  readonly length: number | undefined;
}

function ask(fetch: Parameters<typeof serveRest>[0], facts: Partial<HttpRequest>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const responder: HttpResponder = {
      finished: false,
      onGone: () => undefined,
      respond(head, body) {
        if (body === null) resolve({ head, text: '', length: undefined });
        else if (body instanceof Uint8Array) reject(new Error('a stream was expected'));
        else {
          readBody(body, 10_000_000).then(
            (bytes) => resolve({ head, text: Buffer.from(bytes).toString(), length: body.length }),
            reject,
          );
        }
      },
    };
    const request: HttpRequest = {
      method: 'GET',
      target: '/x?y=1',
      headers: ['Host', 'api.example:9443', 'X-A', '1', 'X-A', '2'],
      body: null,
      peer: { address: '10.0.0.1', port: 5000 },
      scheme: 'https',
      localPort: 9443,
      version: '1.1',
      ...facts,
    };
    serveRest(fetch)(request, responder);
  });
}

describe('fetch handlers on a listener', () => {
  it('see the request as it came and answer with headers in order', async () => {
    const answer = await ask(async (request, connection) => {
      const seen = [request.method, request.url, request.headers.get('x-a'), connection?.peer.address];
      const headers = new Headers({ 'Content-Type': 'text/plain' });
      headers.append('Set-Cookie', 'a=1');
      headers.append('Set-Cookie', 'b=2');
      return new Response(seen.join(' '), { status: 203, headers });
    }, {});
    assert.equal(answer.head.status, 203);
    assert.equal(answer.text, 'GET https://api.example:9443/x?y=1 1, 2 10.0.0.1');
    assert.deepEqual(answer.head.headers, ['content-type', 'text/plain', 'set-cookie', 'a=1', 'set-cookie', 'b=2']);
  });

  it('read a body that comes in pieces, with back-pressure, and stream one out', async () => {
    let waiting = 0;
    let sink: BodySink | undefined;
    let sent = 0;
    const source: BodySource = {
      length: undefined,
      pipe(target) {
        sink = target;
        source.resume();
      },
      resume() {
        while (sent < 100) {
          sent++;
          if (!sink?.write(Buffer.alloc(1000, 97))) {
            waiting++;
            return;
          }
        }
        sink?.end();
      },
      cancel: () => undefined,
    };
    const answer = await ask(async (request) => new Response(request.body), { method: 'POST', body: source });
    assert.equal(answer.text.length, 100_000);
    assert.ok(waiting > 0);
  });

  it('keep the declared length and leave framing to the transport', async () => {
    const echo = async (request: Request): Promise<Response> => {
      const text = await request.text();
      return new Response(text, { headers: { 'Content-Length': String(text.length) } });
    };
    const answer = await ask(echo, { method: 'PUT', body: bodySourceOf(Buffer.from('hello')) });
    assert.deepEqual([answer.text, answer.length], ['hello', 5]);
    assert.ok(!answer.head.headers.includes('content-length'));
  });

  it('refuse targets that the URL parser would change, wrong hosts and TRACE', async () => {
    const never = (): never => assert.fail('must not be asked');
    for (const target of ['/a/../b', '/a/%2E%2e/b', '/a/.', '/a\\b', '/a#b', '*', 'http://other/x']) {
      assert.equal((await ask(never, { target })).head.status, 400, target);
    }
    assert.equal((await ask(never, { headers: ['Host', 'a@b'] })).head.status, 400);
    assert.equal((await ask(never, { method: 'TRACE' })).head.status, 405);
    assert.equal((await ask(async () => new Response(null), { target: '//x/a..b' })).head.status, 200);
  });

  it('answer 500 when the handler fails', async () => {
    assert.equal((await ask(() => Promise.reject(new Error('broken')), {})).head.status, 500);
  });
});

describe('site', () => {
  it('gives a request to the longest path that fits', async () => {
    const named = (name: string) => async () => new Response(name);
    const site = createSite([
      { path: '/api', fetch: named('api') },
      { path: '/api/admin', fetch: named('admin') },
    ]);
    const rows = { '/api': 'api', '/api/x': 'api', '/api/admin/x': 'admin', '/api/administrator': 'api' };
    for (const [path, name] of Object.entries(rows)) {
      assert.equal(await (await site(new Request(`http://h${path}`))).text(), name, path);
    }
    assert.equal((await site(new Request('http://h/apis'))).status, 404);
  });
});
