import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { configureLog } from '#core';
import { senders, startTestNotify, type TestNotify } from '../../src/notify/test-notify.ts';
import { startSmsProvider, type SmsProvider } from '../helpers/sms-provider.ts';

const stream = 'id_gov_sms_notify_stream:1.0.0';
const path = `${senders}/sms`;

let server: TestNotify;
let provider: SmsProvider;
const lines: string[] = [];

before(async () => {
  configureLog({ level: 'debug', format: 'json', destination: { write: (line) => void lines.push(line) } });
  server = await startTestNotify();
  provider = await startSmsProvider();
});
after(async () => {
  await server[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
  configureLog({ level: 'info', format: 'json' });
});

type Fields = Readonly<Record<string, unknown>>;

/** Makes the sender, sends one message, waits for its end, and removes the sender. */
async function send(facts: Fields, text = 'Your code is "1234"\\', on: TestNotify = server): Promise<void> {
  const body = {
    provider: 'Clickatell',
    providerURL: provider.url,
    key: 'KEY-1',
    secret: 'SECRET-1',
    sender: 'Acme',
    ...facts,
  };
  const made = await on.call('POST', path, { body });
  assert.equal(made.status, 201, await made.text());
  await publish(on, text);
  await on.settled();
  assert.equal((await on.call('DELETE', `${path}/SMSPublisher`)).status, 204);
}

async function publish(on: TestNotify, text: string, domain = 'acme.com'): Promise<void> {
  const attributes = new Map([
    ['tenant-domain', domain],
    ['mobile', '+44 7700 900123'],
    ['body', text],
  ]);
  await on.bus.handOver({ topic: stream, at: 0, attributes });
}

const text = 'Your code is "1234"\\';
const to = '+44 7700 900123';

describe('the template of each provider fills its request', () => {
  const rows: readonly (readonly [string, Fields, unknown])[] = [
    ['Vonage', {}, { from: 'Acme', text, to, api_key: 'KEY-1', api_secret: 'SECRET-1' }],
    ['NEXMO', {}, { from: 'Acme', text, to, api_key: 'KEY-1', api_secret: 'SECRET-1' }],
    ['Twilio', {}, { Body: text, To: to, From: 'Acme' }],
    ['Twilio', { contentType: 'JSON' }, { Body: text, To: to, From: 'Acme' }],
    ['bulksms', {}, [{ from: 'Acme', to, body: text }]],
    ['Plivo', {}, { src: 'Acme', dst: to, text }],
    ['Plivo', { contentType: 'FORM' }, { src: 'Acme', dst: to, text }],
    ['Clickatell', {}, { text, to: [to] }],
    [
      'Own',
      { properties: [{ key: 'body', value: '{"m": {{body}}, "quoted": "{{mobile}}"}' }] },
      { m: text, quoted: to },
    ],
  ];
  for (const [name, facts, expected] of rows) {
    it(`${name} ${JSON.stringify(facts)}`, async () => {
      await send({ provider: name, ...facts });
      const { headers, body, method } = provider.calls.at(-1) ?? { headers: {}, body: '', method: '' };
      assert.equal(method, 'POST');
      const type = headers['content-type'] ?? '';
      assert.deepEqual(
        type.includes('json') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body)),
        expected,
      );
    });
  }
});

it('properties of the adapter count by their exact names', async () => {
  const properties = [
    { key: 'http.client.method', value: 'httpput' },
    { key: 'http.headers', value: 'X-Api: one, two, Accept: application/json' },
    { key: 'http.username', value: 'user' },
    { key: 'http.password', value: 'pass' },
  ];
  await send({ properties });
  const call = provider.calls.at(-1);
  assert.equal(call?.method, 'PUT');
  assert.equal(call.headers['x-api'], 'one, two');
  assert.equal(call.headers.accept, 'application/json');
  assert.equal(call.headers.authorization, `Basic ${Buffer.from('user:pass').toString('base64')}`);
  const own = [
    ...properties,
    { key: 'http.url', value: `${provider.url}/{{mobile}}` },
    { key: 'http.headers', value: 'Authorization: Bearer {{body}}' },
  ];
  await send({ properties: own }, 'token');
  assert.equal(provider.calls.at(-1)?.headers.authorization, 'Bearer token');
  assert.match(provider.calls.at(-1)?.path ?? '', /^\/messages\/\+44%207700/);
});

it('a request goes through the proxy of its sender', async () => {
  await using proxy = await startSmsProvider();
  const properties = [
    { key: 'http.proxy.host', value: '127.0.0.1' },
    { key: 'http.proxy.port', value: String(proxy.port) },
  ];
  await send({ providerURL: 'http://sms.invalid/send', properties });
  assert.equal(proxy.calls.length, 1);
  assert.match(proxy.calls[0]?.headers.host ?? '', /sms\.invalid/);
});

describe('a provider that', () => {
  it('fails is asked again with the same id', async () => {
    const before = provider.calls.length;
    provider.answer = (response, _call, count) => response.writeHead(count < before + 3 ? 503 : 200).end();
    await send({});
    provider.answer = undefined;
    const calls = provider.calls.slice(before);
    assert.equal(calls.length, 3);
    assert.equal(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size, 1);
  });
  const hopeless: readonly (readonly [string, SmsProvider['answer'], RegExp, number])[] = [
    ['refuses is asked once', (response) => response.writeHead(400).end('no'), /status 400/, 1],
    [
      'leads to another host is not followed',
      (response) => response.writeHead(307, { Location: 'http://localhost:9/' }).end(),
      /not followed/,
      1,
    ],
    ['always fails is given up', (response) => response.writeHead(500).end(), /status 500/, 4],
    ['breaks off is given up', (response) => response.destroy(), /./, 4],
    ['answers garbage is given up', (response) => void response.socket?.end('lorem ipsum\r\n\r\n'), /./, 4],
    ['hangs is given up', () => {}, /no answer within/, 2],
  ];
  for (const [what, answer, reason, attempts] of hopeless) {
    it(what, async () => {
      const before = provider.calls.length;
      provider.answer = answer;
      await using own = await startTestNotify({
        tools: { patience: 300 },
        settings: { attempts: Math.max(2, attempts) },
      });
      await send({}, 'text', own);
      provider.answer = undefined;
      assert.equal(provider.calls.length - before, attempts);
      const [letter] = await own.notifications.queue.dead(10);
      assert.match(letter?.reason ?? '', reason);
      assert.equal(letter?.attempts, attempts);
    });
  }
  it('leads on to the same host is followed', async () => {
    provider.answer = (response, call) =>
      response.writeHead(call.path === '/messages' ? 308 : 200, { Location: '/v2' }).end();
    await send({});
    provider.answer = undefined;
    assert.equal(provider.calls.at(-1)?.path, '/v2');
    assert.deepEqual(await server.notifications.queue.dead(10), []);
  });
  it('is no HTTP server at all is given up', async () => {
    const silent = createServer((socket) => socket.end('\u0000\u0001garbage')).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    await using own = await startTestNotify();
    await send({ providerURL: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/` }, 'text', own);
    silent.close();
    assert.equal((await own.notifications.queue.dead(10)).length, 1);
  });
  it('hangs for one tenant does not hold up another', async () => {
    await using good = await startSmsProvider();
    await using own = await startTestNotify({ settings: { concurrency: 4, perLane: 2 } });
    provider.answer = () => {};
    const body = { provider: 'Clickatell', providerURL: provider.url };
    await own.call('POST', path, { body });
    const theirs = path.replace('acme.com', 'other.org');
    await own.call('POST', theirs, { user: 'admin@other.org', body: { ...body, providerURL: good.url } });
    for (let count = 0; count < 20; count++) await publish(own, `text ${count}`);
    for (let count = 0; count < 10; count++) await publish(own, `text ${count}`, 'other.org');
    while (good.calls.length < 10) await new Promise((resolve) => setTimeout(resolve, 5));
    provider.answer = undefined;
    assert.equal(new Set(good.calls.map(({ body: sent }) => sent)).size, 10);
  });
});

it('a template that is edited counts at once, and names the senders that it leaves without a property', async () => {
  await using own = await startTestNotify();
  const body = { provider: 'Own', providerURL: provider.url };
  const file = join(own.home, 'conf/sms/sms-providers-api-body-templates.xml');
  mkdirSync(join(own.home, 'conf/sms'), { recursive: true });
  const edit = async (template: string): Promise<void> => {
    const known = own.notifications.files.templates;
    writeFileSync(
      file,
      `<configurations><configuration provider="Own"><body><![CDATA[${template}]]></body></configuration></configurations>`,
    );
    while (own.notifications.files.templates === known) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  assert.equal((await own.call('POST', path, { body })).status, 400);
  await edit('{"one": {{body}}}');
  assert.equal((await own.call('POST', path, { body })).status, 201);
  await edit('{"two": {{body}}, "scope": "$body.scope"}');
  while (!lines.some((line) => line.includes('no longer fits') && line.includes('$body.scope')))
    await new Promise((resolve) => setTimeout(resolve, 10));
  const refused = await own.call('PUT', `${path}/SMSPublisher`, { body });
  assert.equal(refused.status, 400);
  assert.match(
    ((await refused.json()) as { description: string }).description,
    /properties\.body\.scope cannot be null/,
  );
  const properties = [{ key: 'body.scope', value: 'all' }];
  assert.equal((await own.call('PUT', `${path}/SMSPublisher`, { body: { ...body, properties } })).status, 200);
  await publish(own, 'hello');
  await own.settled();
  assert.deepEqual(JSON.parse(provider.calls.at(-1)?.body ?? ''), { two: 'hello', scope: 'all' });
});

it('no secret and no text of a message is in the log', async () => {
  assert.ok(lines.some((line) => line.includes('a notification was sent')));
  const all = lines.join('');
  for (const secret of ['SECRET-1', 'KEY-1', 'pass', 'Your code', '7700 900', '7700%20900', '7700900'])
    assert.ok(!all.includes(secret), secret);
});

it('outcomes are counted', () => {
  const family = server.metrics.collect().find(({ name }) => name === 'millrace_notifications_total');
  const outcomes = [...(family?.children ?? [])].map(([labels]) => labels.join(' ')).sort();
  assert.deepEqual(outcomes, ['http retried', 'http sent']);
});
