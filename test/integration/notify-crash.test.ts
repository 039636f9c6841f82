import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { startProgram, waitForAnswer, type Program } from '../helpers/program.ts';
import { startSmsProvider, type SmsProvider } from '../helpers/sms-provider.ts';
import { writeFiles } from '../helpers/temporary-files.ts';
import { freePort } from '../peers/program.ts';

/** How often the server is killed; `MILLRACE_KILLS=50` looks longer. */
const kills = Number(process.env['MILLRACE_KILLS'] ?? 8);
/** Messages that a server has under way at most for one publisher. */
const underWay = 4;
const projectRoot = join(import.meta.dirname, '../..');
const synapse = 'xmlns="http://ws.apache.org/ns/synapse"';

let home = '';
let port = 0;
let provider: SmsProvider;

before(async () => {
  provider = await startSmsProvider();
  port = await freePort();
  home = mkdtempSync(join(tmpdir(), 'millrace-notify-crash-'));
  writeFiles(home, {
    'conf/deployment.toml': `[transport.passthru_http]
listener.parameters.port = ${port}
[transport.passthru_https]
listener.parameters.port = 0
[mediation]
internal_http_api_port = 0
internal_https_api_port = 0
[transport.http.properties]
port = 0
[transport.https.properties]
port = 0
`,
    'eventstreams/orders_1.0.0.json':
      '{"name": "orders", "version": "1.0.0", "payloadData": [{"name": "n", "type": "INT"}], "metaData": [{"name": "host", "type": "STRING"}]}',
    'eventpublishers/Orders.xml': `<eventPublisher name="Orders" xmlns="http://wso2.org/carbon/eventpublisher">
  <from streamName="orders" version="1.0.0"/>
  <mapping customMapping="enable" type="json"><inline>{"n": {{n}}, "host": "{{meta_host}}"}</inline></mapping>
  <to eventAdapterType="http"><property name="http.url">${provider.url}</property></to>
</eventPublisher>`,
    'artifacts/api/In.xml': `<api ${synapse} name="In" context="/in"><resource methods="POST"><inSequence>
  <publishEvent async="false"><streamName>orders</streamName><streamVersion>1.0.0</streamVersion><eventSink>own</eventSink><attributes>
    <meta><attribute name="host" value="h"/></meta><correlation/>
    <payload><attribute name="n" type="INTEGER" expression="json-eval($.n)"/></payload><arbitrary/>
  </attributes></publishEvent>
  <respond/>
</inSequence></resource></api>`,
  });
});

after(async () => {
  await provider[Symbol.asyncDispose]();
  rmSync(home, { recursive: true, force: true });
});

async function start(): Promise<Program> {
  // The launcher would die alone; what is killed must be the server itself.
  const args = [join(projectRoot, 'src/cli/main.ts'), 'start', '--home', home];
  const program = startProgram(process.execPath, args, { cwd: projectRoot, env: process.env });
  await waitForAnswer(program, `http://127.0.0.1:${port}/in`, { milliseconds: 30_000, status: 405 });
  return program;
}

/** Sends events one after the other until the server is gone; those that were answered are the server's. */
async function sendUntilGone(first: number, accepted: Set<number>, count = 5000): Promise<void> {
  for (let n = first; n < first + count; n++) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/in`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ n }),
        signal: AbortSignal.timeout(10_000),
      });
      await answer.text();
      if (answer.status === 200) accepted.add(n);
    } catch {
      // The server was killed; whether it took this event nobody knows.
      return;
    }
  }
}

/** Ids of the requests that carried each number. */
function arrived(): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const { body, headers } of provider.calls) {
    const { n } = JSON.parse(body) as { n: number };
    found.set(n, [...(found.get(n) ?? []), String(headers['idempotency-key'])]);
  }
  return found;
}

async function waitForAll(accepted: ReadonlySet<number>): Promise<number[]> {
  const missing = (): number[] => {
    const there = arrived();
    return [...accepted].filter((n) => !there.has(n));
  };
  for (let wait = 0; wait < 600 && missing().length > 0; wait++) await pause(100);
  return missing();
}

test('a server that is stopped and started again delivers what waits exactly once', { timeout: 120_000 }, async () => {
  const accepted = new Set<number>();
  let isDown = true;
  provider.answer = (response) => {
    setTimeout(() => response.writeHead(isDown ? 503 : 202).end(), 5);
  };
  const first = await start();
  await sendUntilGone(1, accepted, 40);
  assert.equal(accepted.size, 40);
  assert.equal(await first.stop(), 0);
  const refused = provider.calls.length;
  isDown = false;
  const second = await start();
  assert.deepEqual(await waitForAll(new Set()), []);
  while (new Set(provider.calls.slice(refused).map(({ body }) => body)).size < 40) await pause(50);
  assert.equal(await second.stop(), 0);
  const taken = provider.calls.slice(refused);
  assert.equal(taken.length, 40);
  const third = await start();
  await pause(300);
  await third.stop();
  assert.equal(provider.calls.length, refused + 40);
  for (const ids of arrived().values()) assert.equal(new Set(ids).size, 1);
});

test('a server that is killed loses nothing and repeats only what was under way', { timeout: 600_000 }, async (t) => {
  provider.answer = undefined;
  const accepted = new Set<number>();
  const before = provider.calls.length;
  let next = 1_000_000;
  for (let round = 0; round < kills; round++) {
    const program = await start();
    const sending = [sendUntilGone(next, accepted), sendUntilGone(next + 10_000, accepted)];
    await pause(5 + Math.random() * 400);
    await program.stop('SIGKILL');
    await Promise.all(sending);
    next += 20_000;
  }
  const last = await start();
  try {
    assert.deepEqual(await waitForAll(accepted), []);
    const repeated = [...arrived()].filter(([n, ids]) => n >= 1_000_000 && ids.length > 1);
    t.diagnostic(
      `${accepted.size} events accepted, ${provider.calls.length - before} requests, ${repeated.length} repeated`,
    );
    assert.ok(accepted.size > kills);
    for (const [, ids] of repeated) assert.equal(new Set(ids).size, 1);
    assert.ok(repeated.length <= kills * underWay, `${repeated.length} events were sent twice`);
  } finally {
    await last.stop();
  }
});
