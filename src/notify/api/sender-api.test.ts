import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { configureLog } from '#core';
import type { Database } from '#db';
import { senders, startTestNotify, type TestNotify } from '../test-notify.ts';

const sms = { provider: 'Clickatell', providerURL: 'https://sms.example/messages' };
const email = {
  fromAddress: 'info@acme.com',
  smtpServerHost: 'mail.acme.com',
  smtpPort: 587,
  userName: 'u',
  password: 'p',
};
const bodies = { sms, email } as const;
const names = { sms: 'SMSPublisher', email: 'EmailPublisher' } as const;
const channels = ['sms', 'email'] as const;

let server: TestNotify;
/** What the database is told to do instead of its work. */
let failing = false;

function breakable(database: Database): Database {
  const refuse = (): never => {
    throw new Error('the disk is gone');
  };
  return {
    dialect: database.dialect,
    ping: () => (failing ? refuse() : database.ping()),
    get: (...rest) => (failing ? refuse() : database.get(...rest)),
    all: (...rest) => (failing ? refuse() : database.all(...rest)),
    run: (...rest) => (failing ? refuse() : database.run(...rest)),
    transaction: async (work) => (failing ? refuse() : database.transaction(work)),
    queries: () => database.queries(),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

before(async () => {
  configureLog({ level: 'silent', format: 'json' });
  server = await startTestNotify({ wrap: breakable });
});
after(async () => {
  await server[Symbol.asyncDispose]();
  configureLog({ level: 'info', format: 'json' });
});

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly description: string;
  readonly traceId: string;
}

async function failure(answer: Promise<Response>): Promise<readonly [number, string]> {
  const response = await answer;
  const text = await response.text();
  if (text === '') return [response.status, ''];
  const body = JSON.parse(text) as ErrorBody;
  assert.deepEqual(Object.keys(body), ['code', 'message', 'description', 'traceId']);
  return [response.status, body.code];
}

for (const channel of channels) {
  const path = `${senders}/${channel}`;
  const name = names[channel];
  const body = bodies[channel];
  describe(`senders for ${channel}`, () => {
    it('are made, shown, listed, replaced and deleted', async () => {
      assert.deepEqual(await (await server.call('GET', path)).json(), []);
      const made = await server.call('POST', path, { body });
      assert.equal(made.status, 201);
      assert.equal(made.headers.get('Location'), `https://localhost:9443${path}/${name}`);
      assert.deepEqual(await made.json(), { name, ...body });
      assert.deepEqual(await (await server.call('GET', `${path}/${name}`)).json(), { name, ...body });
      const properties = [
        { key: 'http.headers', value: 'X-A: 1' },
        { key: 'mail.smtp.auth', value: true },
      ];
      const replaced = await server.call('PUT', `${path}/${name}`, { body: { ...body, properties } });
      assert.equal(replaced.status, 200);
      const shown = { name, ...body, properties: [properties[0], { key: 'mail.smtp.auth', value: 'true' }] };
      assert.deepEqual(await replaced.json(), shown);
      assert.deepEqual(await (await server.call('GET', path)).json(), [shown]);
      const deleted = await server.call('DELETE', `${path}/${name}`);
      assert.deepEqual([deleted.status, await deleted.text()], [204, '']);
      assert.deepEqual(await failure(server.call('GET', `${path}/${name}`)), [404, 'CONFIGM_00017']);
    });

    const operations = [
      ['GET', path],
      ['POST', path],
      ['GET', `${path}/${name}`],
      ['PUT', `${path}/${name}`],
      ['DELETE', `${path}/${name}`],
    ] as const;
    for (const [method, at] of operations) {
      const withBody = method === 'POST' || method === 'PUT' ? { body } : {};
      it(`${method} ${at.replace(senders, '')} needs somebody of the tenant who may do it`, async () => {
        const unknown = await server.call(method, at, { ...withBody, user: null });
        assert.deepEqual([unknown.status, await unknown.text()], [401, '']);
        assert.match(unknown.headers.get('WWW-Authenticate') ?? '', /^Basic/);
        assert.deepEqual(await failure(server.call(method, at, { ...withBody, user: 'admin@other.org' })), [403, '']);
        assert.deepEqual(await failure(server.call(method, at, { ...withBody, user: 'admin@carbon.super' })), [
          403,
          '',
        ]);
        const viewer = server.call(method, at, { ...withBody, user: 'viewer@acme.com' });
        const [status] = await failure(
          viewer.then((response) => (response.ok ? new Response(null, response) : response)),
        );
        if (method !== 'GET') assert.equal(status, 403);
        else assert.notEqual(status, 403);
      });
      it(`${method} ${at.replace(senders, '')} is refused to the super tenant with nothing but the status`, async () => {
        const user = 'admin@carbon.super';
        for (const prefix of ['/t/carbon.super', '']) {
          const own = at.replace('/t/acme.com', prefix);
          assert.deepEqual(await failure(server.call(method, own, { ...withBody, user })), [405, '']);
        }
        const faulty = server.call(method, at.replace('/t/acme.com', ''), {
          ...withBody,
          ...(method === 'POST' && { body: '{' }),
          user,
        });
        assert.deepEqual(await failure(faulty), [405, '']);
      });
      it(`${method} ${at.replace(senders, '')} names the failure of its store`, async () => {
        const codes = {
          GET: at === path ? 'NSM-65006' : 'NSM-65003',
          POST: 'NSM-65004',
          PUT: 'NSM-65007',
          DELETE: 'NSM-65005',
        };
        failing = true;
        try {
          assert.deepEqual(await failure(server.call(method, at, withBody)), [500, codes[method]]);
        } finally {
          failing = false;
        }
      });
    }

    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      it(`${method} of a sender that is not there answers 404`, async () => {
        const withBody = method === 'PUT' ? { body } : {};
        assert.deepEqual(await failure(server.call(method, `${path}/${name}`, withBody)), [404, 'CONFIGM_00017']);
      });
    }

    it('cannot be made twice, nor under a name that is no publisher', async () => {
      await server.call('POST', path, { body });
      assert.deepEqual(await failure(server.call('POST', path, { body })), [409, 'NSM-60002']);
      assert.deepEqual(await failure(server.call('POST', path, { body: { ...body, name: 'Mine' } })), [
        404,
        'NSM-60001',
      ]);
      const otherChannel = channel === 'sms' ? 'email' : 'sms';
      assert.deepEqual(await failure(server.call('GET', `${senders}/${otherChannel}/${name}`)), [404, 'CONFIGM_00017']);
      assert.deepEqual(await failure(server.call('DELETE', `${senders}/${otherChannel}/${name}`)), [
        404,
        'CONFIGM_00017',
      ]);
      const theirs = await server.call('GET', path.replace('acme.com', 'other.org'), { user: 'admin@other.org' });
      assert.deepEqual(await theirs.json(), []);
      assert.equal((await server.call('DELETE', `${path}/${name}`)).status, 204);
    });

    const broken: readonly (readonly [what: string, body: unknown, status: number, code: string, says: RegExp])[] = [
      ['text that is no JSON', '{"name": ', 400, 'UE-10000', /format/],
      ['an array', [], 400, 'UE-10000', /./],
      [
        'nothing',
        {},
        400,
        'UE-10000',
        channel === 'sms' ? /provider cannot be null.*providerURL cannot be null/ : /fromAddress cannot be null/,
      ],
      ['an unknown field', { ...body, colour: 'red' }, 400, 'UE-10000', /colour/],
      ['a number for a text', { ...body, name: 5 }, 400, 'UE-10000', /name/],
      ['a line break in a text', { ...body, name: 'a\r\nb' }, 400, 'UE-10000', /control characters/],
      [
        'a property without a value',
        { ...body, properties: [{ key: 'a' }] },
        400,
        'UE-10000',
        /properties\.0\.value cannot be null/,
      ],
      ...['streamName', 'version', 'type'].map(
        (key) =>
          [
            `the reserved key ${key}`,
            { ...body, properties: [{ key, value: 'x' }] },
            400,
            'UE-10000',
            new RegExp(`properties\\[0\\].key.*${key}`),
          ] as const,
      ),
    ];
    for (const [what, wrong, status, code, says] of broken) {
      it(`is not made of ${what}`, async () => {
        for (const [method, at] of [
          ['POST', path],
          ['PUT', `${path}/${name}`],
        ] as const) {
          if (method === 'PUT' && /name|text/.test(what)) continue;
          const response = await server.call(method, at, { body: wrong });
          const answer = (await response.json()) as ErrorBody;
          assert.deepEqual([response.status, answer.code], [status, code], `${method}: ${answer.description}`);
          assert.match(answer.description, says);
        }
      });
    }
  });
}

describe('an SMS sender', () => {
  const path = `${senders}/sms`;
  const rows: readonly (readonly [string, unknown, number, string])[] = [
    ['an empty provider', { ...sms, provider: '' }, 400, 'NSM-60003'],
    ['a provider without a template and without a body', { ...sms, provider: 'Nobody' }, 400, 'NSM-60004'],
    ['a template that has no such form', { ...sms, provider: 'Bulksms', contentType: 'FORM' }, 400, 'NSM-60004'],
    ['an empty address', { ...sms, providerURL: '' }, 400, 'NSM-60005'],
    ['an address of another scheme', { ...sms, providerURL: 'file:///etc/passwd' }, 400, 'UE-10000'],
    [
      'a method that there is not',
      { ...sms, properties: [{ key: 'http.client.method', value: 'HttpBrew' }] },
      400,
      'UE-10000',
    ],
    ['a content type that there is not', { ...sms, contentType: 'XML' }, 400, 'UE-10000'],
  ];
  for (const [what, body, status, code] of rows) {
    it(`is not made with ${what}`, async () => {
      assert.deepEqual(await failure(server.call('POST', path, { body })), [status, code]);
    });
  }

  it('is made for an unknown provider with a body of its own', async () => {
    const body = { ...sms, provider: 'Nobody', properties: [{ key: 'body', value: '{"t": {{body}}}' }] };
    assert.equal((await server.call('POST', path, { body })).status, 201);
    assert.equal((await server.call('DELETE', `${path}/SMSPublisher`)).status, 204);
  });
});

it('a home without publishers admits no sender', async () => {
  await using own = await startTestNotify();
  for (const name of ['EmailPublisher', 'SMSPublisher']) rmSync(join(own.home, 'eventpublishers', `${name}.xml`));
  await using emptied = await startTestNotify({ home: own.home });
  assert.deepEqual(await failure(emptied.call('POST', `${senders}/sms`, { body: sms })), [404, 'NSM-65001']);
  writeFileSync(join(own.home, 'eventpublishers/x.xml'), '<eventPublisher/>');
});

it('the definition of the API names every operation with its answers', async () => {
  const answer = await server.call('GET', '/api/server/v1/notification-senders/openapi.json', { user: null });
  const document = (await answer.json()) as {
    openapi: string;
    paths: Record<string, Record<string, { responses: object }>>;
  };
  assert.match(document.openapi, /^3\.1/);
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  assert.equal(operations.length, 10);
  for (const { responses } of operations) assert.ok(Object.keys(responses).includes('405'));
});
