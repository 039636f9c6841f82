import assert from 'node:assert/strict';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { configureLog } from '#core';
import { fuzzSeed } from '../../../test/helpers/fuzz-seed.ts';
import { startTestNotify, type TestNotify } from '../test-notify.ts';

const requests = Number(process.env['MILLRACE_FUZZ'] ?? 2000);

let server: TestNotify;
before(async () => {
  configureLog({ level: 'silent', format: 'json' });
  server = await startTestNotify();
});
after(async () => {
  await server[Symbol.asyncDispose]();
  configureLog({ level: 'info', format: 'json' });
});

/** Numbers of [0, 1) that follow from a seed (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly required?: readonly string[];
}

interface Described {
  readonly method: string;
  readonly path: string;
  readonly statuses: ReadonlySet<number>;
  readonly body: JsonSchema | undefined;
}

/** Every operation with what it takes and answers, as the definition of the API says. */
async function describedOperations(): Promise<readonly Described[]> {
  const answer = await server.call('GET', '/api/server/v1/notification-senders/openapi.json', { user: null });
  const { paths } = (await answer.json()) as {
    paths: Record<
      string,
      Record<string, { responses: object; requestBody?: { content: Record<string, { schema: JsonSchema }> } }>
    >;
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses, requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      statuses: new Set(Object.keys(responses).map(Number)),
      body: requestBody?.content['application/json']?.schema,
    })),
  );
}

test('no request of any shape breaks the API or shows one tenant what is another one’s', async (t) => {
  t.diagnostic(`MILLRACE_FUZZ_SEED=${fuzzSeed}`);
  const random = randomFrom(fuzzSeed);
  const pick = <Value>(list: readonly Value[]): Value => list[Math.floor(random() * list.length)] as Value;
  const texts = [
    '',
    'SMSPublisher',
    'EmailPublisher',
    'Clickatell',
    'Twilio',
    'nobody',
    'https://sms.example/a',
    'a@b.example',
    '{{mobile}}',
    '$body.x',
    'a\u0000b',
    '\ud800',
    '../..',
    '%2e%2e',
    'x'.repeat(3000),
    '__proto__',
    'body',
    'body.x',
    'type',
    'http.headers',
    'mail.smtp.port',
    'http.client.method',
  ];
  /** What passes, so that more than refusals is seen. */
  const good: Readonly<Record<string, readonly unknown[]>> = {
    name: ['SMSPublisher', 'EmailPublisher', null],
    provider: ['Clickatell', 'Twilio', 'plivo'],
    providerURL: ['https://sms.example/a'],
    fromAddress: ['a@b.example'],
    smtpPort: [25, 587],
    properties: [null, [], [{ key: 'http.headers', value: 'A: b' }]],
  };
  const make = (schema: JsonSchema, depth = 0): unknown => {
    if (random() < 0.04) return pick([null, 5, -1, 1e300, true, [], {}, 'odd', [[]]] as readonly unknown[]);
    if (schema.anyOf) return make(pick(schema.anyOf), depth);
    if (schema.enum) return pick(schema.enum);
    const type = typeof schema.type === 'object' ? pick(schema.type) : schema.type;
    if (type === 'object') {
      const entries = Object.entries(schema.properties ?? {}).filter(
        ([name]) => random() < (schema.required?.includes(name) ? 0.95 : 0.5),
      );
      return Object.fromEntries([
        ...entries.map(([name, member]) => [
          name,
          good[name] && random() < 0.8 ? pick(good[name]) : make(member, depth + 1),
        ]),
        ...(random() < 0.03 ? [['more', 1]] : []),
      ]);
    }
    if (type === 'array')
      return Array.from({ length: Math.floor(random() * 4) }, () => make(schema.items ?? {}, depth + 1));
    if (type === 'integer' || type === 'number') return Math.floor(random() * 70_000);
    if (type === 'boolean') return random() < 0.5;
    return type === 'null' ? null : pick(texts);
  };
  const operations = await describedOperations();
  const used = new Set<string>();
  const seen = new Set<number>();
  const tenants = ['acme.com', 'other.org'] as const;
  for (let count = 0; count < requests; count++) {
    const operation = pick(operations);
    used.add(`${operation.method} ${operation.path}`);
    const domain = pick(tenants);
    // What a tenant stores carries its name, so that it is seen where it must not be.
    const mark = `mark-${domain}`;
    const made = operation.body && make(operation.body);
    const isObject = typeof made === 'object' && made !== null && !Array.isArray(made);
    const marked = isObject ? { ...made, ...('provider' in made ? { secret: mark } : { password: mark }) } : made;
    const body =
      operation.body === undefined ? undefined : random() < 0.03 ? pick(['{', '', 'null', '[1', '"a"']) : marked;
    const path = operation.path.replace('{name}', encodeURIComponent(pick(texts).toWellFormed()));
    const caller = random() < 0.05 ? pick(tenants) : domain;
    const answer = await server.call(operation.method, `/t/${domain}${path}`, { user: `admin@${caller}`, body });
    const text = await answer.text();
    const told = `seed ${fuzzSeed}, request ${count}: ${operation.method} ${path} ${JSON.stringify(body)?.slice(0, 300)} → ${answer.status} ${text.slice(0, 300)}`;
    const isPath = path.includes('%00') || path.endsWith('/');
    seen.add(answer.status);
    assert.ok(answer.status < 500, told);
    assert.ok(operation.statuses.has(answer.status) || answer.status === 413 || isPath || /%2e|\.\./.test(path), told);
    for (const tenant of tenants) if (tenant !== domain) assert.ok(!text.includes(`mark-${tenant}`), told);
    if (answer.status === 403) assert.notEqual(caller, domain, told);
    if (text !== '') JSON.parse(text);
  }
  assert.equal(used.size, operations.length);
  assert.deepEqual(
    [200, 201, 204, 400, 403, 404, 409].filter((status) => !seen.has(status)),
    [],
  );
});
