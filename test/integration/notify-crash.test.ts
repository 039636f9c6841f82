import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { freePort } from '../helpers/free-port.ts';
import {
  killAgainAndAgain,
  missingOf,
  sendUntilGone,
  startKillable,
  type KilledServer,
} from '../helpers/killed-server.ts';
import { synapse } from '../helpers/managed-server.ts';
import { startSmsProvider, type SmsProvider } from '../helpers/sms-provider.ts';
import { writeFiles } from '../helpers/temporary-files.ts';
import { freePortsWithApi } from '../helpers/temporary-server.ts';

/** How often the server is killed; `MILLRACE_KILLS=50` looks longer. */
const kills = Number(process.env['MILLRACE_KILLS'] ?? 8);
/** Messages that a server has under way at most for one publisher. */
const underWay = 4;

let server: KilledServer;
let provider: SmsProvider;

before(async () => {
  provider = await startSmsProvider();
  server = { port: await freePort(), home: mkdtempSync(join(tmpdir(), 'millrace-notify-crash-')) };
  writeFiles(server.home, {
    'conf/deployment.toml': freePortsWithApi(server.port),
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
  rmSync(server.home, { recursive: true, force: true });
});

/** Ids of the requests that carried each number. */
function arrived(): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const { body, headers } of provider.calls) {
    const { n } = JSON.parse(body) as { n: number };
    found.set(n, [...(found.get(n) ?? []), String(headers['idempotency-key'])]);
  }
  return found;
}

/** The numbers of those that were not delivered within a minute. */
const missing = (accepted: ReadonlySet<number>): Promise<readonly number[]> =>
  missingOf(accepted, (n) => arrived().has(n));

test('a server that is stopped and started again delivers what waits exactly once', { timeout: 240_000 }, async () => {
  const accepted = new Set<number>();
  let isDown = true;
  provider.answer = (response) => {
    setTimeout(() => response.writeHead(isDown ? 503 : 202).end(), 5);
  };
  const first = await startKillable(server);
  await sendUntilGone(server, { first: 1, accepted, count: 40 });
  assert.equal(accepted.size, 40);
  assert.equal(await first.stop(), 0);
  const refused = provider.calls.length;
  isDown = false;
  const second = await startKillable(server);
  assert.deepEqual(await missing(new Set()), []);
  while (new Set(provider.calls.slice(refused).map(({ body }) => body)).size < 40) await pause(50);
  assert.equal(await second.stop(), 0);
  const taken = provider.calls.slice(refused);
  assert.equal(taken.length, 40);
  const third = await startKillable(server);
  await pause(300);
  await third.stop();
  assert.equal(provider.calls.length, refused + 40);
  for (const ids of arrived().values()) assert.equal(new Set(ids).size, 1);
});

test('a server that is killed loses nothing and repeats only what was under way', { timeout: 600_000 }, async (t) => {
  provider.answer = undefined;
  const before = provider.calls.length;
  const accepted = await killAgainAndAgain(server, { kills, from: 1_000_000 });
  const last = await startKillable(server);
  try {
    assert.deepEqual(await missing(accepted), []);
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
