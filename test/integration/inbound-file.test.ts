import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { configureLog } from '#core';
import { startBackEnd, type BackEnd } from '../effects/effect-server.ts';
import { synapse } from '../helpers/managed-server.ts';
import { startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';
import { until } from '../helpers/until.ts';

before(() => configureLog({ level: 'silent', format: 'json' }));
after(() => configureLog({ level: 'info', format: 'json' }));

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A back end that keeps what it gets. */
async function startReceiver(): Promise<BackEnd & { readonly received: Received[] }> {
  const received: Received[] = [];
  const backEnd = await startBackEnd((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.end('ok');
    });
  });
  return Object.assign(backEnd, { received });
}

/** Folders that are removed at the end. */
function folders(t: TestContext): { root: string; in: string; out: string; failed: string } {
  const root = mkdtempSync(join(tmpdir(), 'millrace-files-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const all = { root, in: join(root, 'in'), out: join(root, 'out'), failed: join(root, 'failed') };
  for (const folder of [all.in, all.out, all.failed]) mkdirSync(folder);
  return all;
}

function inbound(folder: string, parameters: Readonly<Record<string, string>> = {}, sequence = 'take'): string {
  const all = { interval: '20', 'transport.vfs.FileURI': pathToFileURL(folder).href, ...parameters };
  const texts = Object.entries(all).map(([name, value]) => `<parameter name="${name}">${value}</parameter>`);
  return `<inboundEndpoint ${synapse} name="Files" protocol="file" sequence="${sequence}"><parameters>${texts.join('')}</parameters></inboundEndpoint>`;
}

/** Sends each file to the back end, with what its message says of it; files with `bad` in them fail. */
function take(url: string, extra = ''): string {
  return `<sequence ${synapse} name="take">
  <property name="X-Name" scope="transport" expression="$trp:FILE_NAME"/>
  <property name="X-Facts" scope="transport" expression="concat($trp:FILE_LENGTH, ' ', $trp:RELATIVE_PATH, ' ', get-property('inbound.endpoint.name'))"/>
  <filter xpath="contains($trp:FILE_NAME, 'bad')"><then><throwError type="CUSTOM" errorMessage="bad"/></then></filter>
  ${extra}
  <call><endpoint><http method="post" uri-template="${url}/"/></endpoint></call>
</sequence>`;
}

function start(file: string, sequence: string): Promise<TemporaryServer> {
  return startTemporaryServer({
    'artifacts/inbound-endpoints/files.xml': file,
    'artifacts/sequences/take.xml': sequence,
  });
}

test('files become messages with their content and facts, and are deleted', async (t) => {
  const own = folders(t);
  await using backEnd = await startReceiver();
  mkdirSync(join(own.in, 'deep'));
  writeFileSync(join(own.in, 'a.xml'), '<a>1</a>');
  writeFileSync(join(own.in, 'deep', 'b.txt'), 'plain');
  const file = inbound(own.in).replace('</parameter></parameters>', '/*</parameter></parameters>');
  await using _ = await start(file, take(backEnd.url));
  await until('both have arrived', () => backEnd.received.length === 2);
  await until('both are gone', () => !existsSync(join(own.in, 'a.xml')) && !existsSync(join(own.in, 'deep/b.txt')));
  const facts = backEnd.received.map(({ headers, body }) => [String(headers['x-name']), headers['x-facts'], body]);
  assert.deepEqual(
    new Map(facts.map(([name, ...others]) => [name, others])),
    new Map([
      ['a.xml', ['8  Files', '<a>1</a>']],
      ['b.txt', ['5 deep Files', 'plain']],
    ]),
  );
  assert.deepEqual(readdirSync(own.in), ['deep']);
});

test('files are moved by how it went with them, with the time in their names', async (t) => {
  const own = folders(t);
  await using backEnd = await startReceiver();
  for (const name of ['good.csv', 'bad.csv', 'other.txt']) writeFileSync(join(own.in, name), 'a,b');
  const parameters = {
    'transport.vfs.ContentType': 'text/plain',
    'transport.vfs.FileNamePattern': '.*\\.csv',
    'transport.vfs.ActionAfterProcess': 'MOVE',
    'transport.vfs.MoveAfterProcess': pathToFileURL(own.out).href,
    'transport.vfs.ActionAfterFailure': 'MOVE',
    'transport.vfs.MoveAfterFailure': pathToFileURL(join(own.failed, 'new')).href,
    'transport.vfs.CreateFolder': 'true',
    'transport.vfs.MoveTimestampFormat': 'yyyy-',
  };
  await using _ = await start(inbound(own.in, parameters), take(backEnd.url));
  await until('both were moved', () => readdirSync(own.in).join() === 'other.txt');
  const year = `${new Date().getUTCFullYear()}-`;
  assert.deepEqual(readdirSync(own.out), [`${year}good.csv`]);
  assert.deepEqual(readdirSync(join(own.failed, 'new')), [`${year}bad.csv`]);
  assert.deepEqual(
    backEnd.received.map(({ body }) => body),
    ['a,b'],
  );
});

test('SET_ROLLBACK_ONLY makes a failure of a message that went through', async (t) => {
  const own = folders(t);
  await using backEnd = await startReceiver();
  writeFileSync(join(own.in, 'a.txt'), 'a');
  const parameters = {
    'transport.vfs.ActionAfterFailure': 'MOVE',
    'transport.vfs.MoveAfterFailure': own.failed,
  };
  const rollback = '<property name="SET_ROLLBACK_ONLY" value="true"/>';
  await using _ = await start(inbound(own.in, parameters), take(backEnd.url, rollback));
  await until('it was moved', () => existsSync(join(own.failed, 'a.txt')));
});

test('files are taken in the order that is asked for, not more than are asked for, and not while they are locked', async (t) => {
  const own = folders(t);
  await using backEnd = await startReceiver();
  for (const [index, name] of ['c.txt', 'a.txt', 'b.txt', 'locked.txt'].entries()) {
    writeFileSync(join(own.in, name), name);
    utimesSync(join(own.in, name), 1000 + index, 1000 + index);
  }
  writeFileSync(join(own.in, 'locked.txt.lock'), 'elsewhere/1\n');
  const parameters = {
    'transport.vfs.FileSortAttribute': 'Lastmodifiedtimestamp',
    'transport.vfs.FileSortAscending': 'false',
  };
  await using _ = await start(inbound(own.in, parameters), take(backEnd.url));
  await until('all others were taken', () => readdirSync(own.in).length === 2);
  assert.deepEqual(
    backEnd.received.map(({ body }) => body),
    ['b.txt', 'a.txt', 'c.txt'],
  );
  assert.deepEqual(readdirSync(own.in).sort(), ['locked.txt', 'locked.txt.lock']);
});

test('a lock that was left behind is taken over when the endpoint says so', async (t) => {
  const own = folders(t);
  await using backEnd = await startReceiver();
  for (const name of ['a.txt', 'a.txt.lock']) writeFileSync(join(own.in, name), 'elsewhere/1');
  utimesSync(join(own.in, 'a.txt.lock'), 1000, 1000);
  const parameters = {
    'transport.vfs.AutoLockRelease': 'true',
    'transport.vfs.AutoLockReleaseInterval': '1000',
    'transport.vfs.LockReleaseSameNode': 'false',
  };
  await using _ = await start(inbound(own.in, parameters), take(backEnd.url));
  await until('it was taken', () => readdirSync(own.in).length === 0);
  assert.equal(backEnd.received.length, 1);
});

test('a file that cannot be moved becomes one message only', async (t) => {
  const own = folders(t);
  await using backEnd = await startReceiver();
  writeFileSync(join(own.in, 'a.txt'), 'a');
  const parameters = {
    'transport.vfs.ActionAfterProcess': 'MOVE',
    'transport.vfs.MoveAfterProcess': pathToFileURL(join(own.root, 'nowhere')).href,
  };
  await using _ = await start(inbound(own.in, parameters), take(backEnd.url));
  const mark = join(own.in, 'a.txt.fail');
  await until('it is marked', () => existsSync(mark) && readFileSync(mark, 'utf8') !== '');
  assert.match(readFileSync(mark, 'utf8'), /There is no folder .*nowhere/);
  writeFileSync(join(own.in, 'b.txt'), 'b');
  await until('the next one was taken', () => backEnd.received.length === 2);
  assert.deepEqual(
    backEnd.received.map(({ body }) => body),
    ['a', 'b'],
  );
});

test('without locks moving is tried again, and the file is no message again', async (t) => {
  const own = folders(t);
  await using backEnd = await startReceiver();
  writeFileSync(join(own.in, 'a.txt'), 'a');
  const parameters = {
    'transport.vfs.ActionAfterProcess': 'MOVE',
    'transport.vfs.MoveAfterProcess': pathToFileURL(join(own.root, 'nowhere')).href,
    'transport.vfs.Locking': 'disable',
    'transport.vfs.FailedRecordNextRetryDuration': '50',
  };
  await using _ = await start(inbound(own.in, parameters), take(backEnd.url));
  await until('it was taken', () => backEnd.received.length === 1);
  await pause(200);
  mkdirSync(join(own.root, 'nowhere'));
  await until('it was moved', () => existsSync(join(own.root, 'nowhere/a.txt')));
  assert.equal(backEnd.received.length, 1);
});

test('an endpoint that is not sequential takes several files at once', async (t) => {
  const own = folders(t);
  let most = 0;
  let present = 0;
  const all = Promise.withResolvers<void>();
  await using backEnd = await startBackEnd((_request, response) => {
    most = Math.max(most, ++present);
    if (present === 3) all.resolve();
    void Promise.race([all.promise, pause(10_000, undefined, { ref: false })]).then(() => {
      present--;
      return response.end();
    });
  });
  for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(join(own.in, name), name);
  await using _ = await start(inbound(own.in, { sequential: 'false' }), take(backEnd.url));
  await until('all were taken', () => readdirSync(own.in).length === 0);
  assert.equal(most, 3);
});
