import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { backEndAnswers } from '../../web/src/back-end-answers.ts';
import { mockServices } from '../../web/src/mock-services.ts';
import { suiteOf, tracedEnd } from '../../web/src/saved-suite.ts';
import { curlOf, reachableOrigin, requestOf, statesOf, type Step, type Trace } from '../../web/src/trace-model.ts';
import { ask } from '../effects/effect-server.ts';
import { startManagedServer } from '../helpers/managed-server.ts';
import { openSmallServer } from '../helpers/small-server.ts';
import { temporaryFolder } from '../helpers/temporary-files.ts';

const api = `<api xmlns="http://ws.apache.org/ns/synapse" name="Greet" context="/greet"><resource methods="POST" uri-template="/{name}"><inSequence>
  <payloadFactory media-type="json"><format>{"hello":"$1","from":"$2"}</format><args><arg expression="$ctx:uri.var.name"/><arg expression="$trp:X-From"/></args></payloadFactory>
  <respond/>
</inSequence></resource></api>`;

const noAnswers = { known: [], unknown: [] };

/** Runs a suite as a user does. */
function runTests(folder: string, file: string): { readonly status: number | null; readonly stdout: string } {
  return spawnSync(process.execPath, [join(import.meta.dirname, '../../src/cli/main.ts'), 'test', file], {
    cwd: folder,
    encoding: 'utf8',
  });
}

test('a message that a server traced is replayed, written as a command, and becomes a suite that passes', async (t) => {
  await using managed = await startManagedServer({ 'artifacts/api/greet.xml': api });
  const url = `${managed.server.url('API HTTP')}/greet/Ada`;
  await managed.as('root', 'POST /millrace/captures', { artifact: 'api:Greet', payloads: true });
  await ask(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-From': "O'Hara", Authorization: 'Bearer abc' },
    body: '{"a":1}',
  });
  const trace = (await managed.read('GET /millrace/traces/1')) as Trace;

  const listed = async (word: string): Promise<unknown[]> => {
    const { list } = (await managed.read(`GET /millrace/traces?q=${encodeURIComponent(word)}`)) as {
      list: readonly { method: string; path: string; size: number; endedIn: string }[];
    };
    return list.map(({ method, path, size, endedIn }) => [method, path, size, endedIn]);
  };
  const answerSize = JSON.stringify({ hello: 'Ada', from: "O'Hara" }).length;
  assert.deepEqual(await listed("x-from: o'hara"), [['POST', '/greet/Ada', answerSize, 'api:Greet/resource:0/in/1']]);
  assert.deepEqual(await listed('Bearer abc'), []);

  const request = requestOf(trace);
  assert.ok(request);
  assert.deepEqual([request.method, request.path, request.body], ['POST', '/greet/Ada', '{"a":1}']);
  assert.deepEqual(request.masked, ['Authorization']);
  assert.equal(request.headers['X-From'], "O'Hara");

  const replayed = await managed.as('root', 'POST /millrace/replays', {
    method: request.method,
    path: request.path,
    headers: request.headers,
    body: request.body,
  });
  const answer = JSON.parse(replayed.body) as { status: number; body: string };
  assert.deepEqual([answer.status, JSON.parse(answer.body)], [200, { hello: 'Ada', from: "O'Hara" }]);

  assert.equal(new URL(trace.origin ?? '').port, new URL(managed.server.url('API HTTP')).port);
  const command = curlOf({ ...request, masked: [] }, reachableOrigin(trace.origin ?? '', 'https://127.0.0.1:9/'));
  // The server runs in this process: nothing may wait for the command in its way.
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s -m 10 || true`]);
  if (stdout === '') t.diagnostic('curl is not installed: the command was not run');
  else assert.deepEqual(JSON.parse(stdout), { hello: 'Ada', from: "O'Hara" });

  const suite = suiteOf({
    request,
    source: api,
    context: '/greet',
    expected: answer,
    supporting: [],
    answers: noAnswers,
  });
  const folder = temporaryFolder(t, { 'Suite.xml': suite });
  writeFileSync(join(folder, 'Wrong.xml'), suite.replace('"hello":"Ada"', '"hello":"Bob"'));
  assert.equal(runTests(folder, 'Suite.xml').status, 0, runTests(folder, 'Suite.xml').stdout);
  assert.equal(runTests(folder, 'Wrong.xml').status, 1);
});

let moments = 0;

/** Answers differently each time; a book is SOAP, and `/gone` is no page. */
function answerTo({ method, url = '' }: IncomingMessage): readonly [number, string, string] {
  if (url.startsWith('/book')) return [200, 'text/xml', envelope('<book><title>Silas &amp; Ann</title></book>')];
  if (url.startsWith('/plain')) return [200, 'text/plain', 'a < b'];
  if (url.startsWith('/gone')) return [410, 'application/json', '{"gone":true}'];
  return [201, 'application/json', JSON.stringify({ method, url, moment: ++moments })];
}
const envelope = (content: string): string =>
  `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>${content}</e:Body></e:Envelope>`;

test('a saved suite holds what back ends answered, and passes without them', async (t) => {
  const backEnd = await openSmallServer(
    createServer((request, response) => {
      const [status, type, text] = answerTo(request);
      request.resume().on('end', () => {
        response.writeHead(status, { 'Content-Type': type, 'X-Back-End': 'one', ETag: '"7"' }).end(text);
      });
    }),
  );
  const at = `http://127.0.0.1:${backEnd.port}`;
  const inline = (name: string, path: string): string =>
    `<call><endpoint name="${name}"><http method="get" uri-template="${at}${path}"/></endpoint></call>`;
  const keep = (name: string, expression: string): string => `<property name="${name}" expression="${expression}"/>`;
  const orders = `<api xmlns="http://ws.apache.org/ns/synapse" name="Orders" context="/orders"><resource methods="POST" uri-template="/{id}"><inSequence>
    <call><endpoint key="Stock"/></call>${keep('first', 'json-eval($)')}
    <payloadFactory media-type="json"><format>{"again":true}</format></payloadFactory>
    <call><endpoint key="Stock"/></call>${keep('second', 'json-eval($)')}
    <sequence key="Library"/>${keep('book', '//title')}
    ${inline('Plain', '/plain')}${keep('plain', '$body')}
    ${inline('Gone', '/gone')}${keep('gone', '$axis2:HTTP_SC')}
    <payloadFactory media-type="json"><format>{"first":$1,"second":$2,"book":"$3","gone":"$4"}</format><args>
      <arg expression="$ctx:first"/><arg expression="$ctx:second"/><arg expression="$ctx:book"/><arg expression="$ctx:gone"/>
    </args></payloadFactory>
    <property name="HTTP_SC" value="202" scope="axis2"/>
    <respond/>
  </inSequence></resource></api>`;
  const stock = `<endpoint xmlns="http://ws.apache.org/ns/synapse" name="Stock"><address uri="${at}/stock"/></endpoint>`;
  const library =
    '<sequence xmlns="http://ws.apache.org/ns/synapse" name="Library"><call-template target="Named"/></sequence>';
  const named = `<template xmlns="http://ws.apache.org/ns/synapse" name="Named"><sequence>${inline('Book', '/book/{uri.var.id}')}</sequence></template>`;
  const idle =
    '<endpoint xmlns="http://ws.apache.org/ns/synapse" name="Idle"><address uri="http://127.0.0.1:9"/></endpoint>';
  await using managed = await startManagedServer({
    'artifacts/api/orders.xml': orders,
    'artifacts/endpoints/Stock.xml': stock,
    'artifacts/sequences/Library.xml': library,
    'artifacts/templates/Named.xml': named,
  });
  await managed.as('root', 'POST /millrace/captures', { artifact: 'api:Orders', payloads: true });
  const answer = await ask(`${managed.server.url('API HTTP')}/orders/7`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"a":1}',
  });
  assert.ok(typeof answer !== 'string');
  assert.equal(answer.status, 202, answer.body);
  const states = statesOf(((await managed.read('GET /millrace/traces/1')) as Trace).steps);
  const request = requestOf((await managed.read('GET /millrace/traces/1')) as Trace);
  assert.ok(request);
  const expected = tracedEnd(states);
  assert.equal(expected.status, 202);
  assert.deepEqual(JSON.parse(expected.body ?? ''), JSON.parse(answer.body));

  const answers = backEndAnswers(states);
  assert.deepEqual(answers.unknown, []);
  assert.deepEqual(
    answers.known.map(({ endpoint, method, status }) => [endpoint, method, status]),
    [
      ['Stock', 'POST', '201'],
      ['Stock', 'POST', '201'],
      ['Book', 'GET', '200'],
      ['Plain', 'GET', '200'],
      ['Gone', 'GET', '410'],
    ],
  );
  const suite = suiteOf({
    request,
    source: orders,
    context: '/orders',
    expected,
    supporting: [stock, idle, library, named],
    answers,
  });
  assert.match(suite, /<!-- Missing: what Idle answers: the traced message did not go there\. -->/);
  await backEnd[Symbol.asyncDispose]();
  const folder = temporaryFolder(t, { 'Suite.xml': suite });
  const { status, stdout } = runTests(folder, 'Suite.xml');
  assert.equal(status, 0, `${stdout}\n${suite}`);
  assert.doesNotMatch(stdout, /replaces nothing/);
});

test('a saved suite names the answers of back ends that a trace does not hold', () => {
  const step = (at: number, element: string, after: Readonly<Record<string, string>>, error?: string): Step => ({
    mediator: `api:Orders/resource:0/in/${at}`,
    element,
    start: at,
    after,
    ...(error !== undefined && { error }),
  });
  const answered = (endpoint: string, payload: string): Readonly<Record<string, string>> => ({
    'default:last_endpoint': endpoint,
    'default:ENDPOINT_PREFIX': 'http://back.example/a',
    'axis2:HTTP_SC': '200',
    payload,
  });
  const answers = backEndAnswers(
    statesOf([
      step(0, 'call', answered('Masked', '{"password":"*****"}')),
      step(1, 'call', answered('Long', `${'x'.repeat(9)}… (70000 characters)`)),
      step(2, 'call', answered('Elsewhere', '{"a":1}')),
      step(3, 'call', {}, 'connection refused'),
      step(4, 'call', answered('Unread', '(not read yet)')),
    ]),
  );
  const notes = mockServices(answers, ['Masked', 'Long', 'Unread', 'Idle--one']).map((line) => line.trim());
  assert.deepEqual(notes, [
    '<!-- Missing: what Elsewhere answers: no endpoint of these artifacts has its name, so nothing can replace it. -->',
    '<!-- Missing: what Masked answers to api:Orders/resource:0/in/0: something in its answer is masked. -->',
    '<!-- Missing: what Long answers to api:Orders/resource:0/in/1: its answer is too long for a trace. -->',
    '<!-- Missing: what Elsewhere answers to api:Orders/resource:0/in/3: it did not answer: connection refused. -->',
    '<!-- Missing: what Unread answers to api:Orders/resource:0/in/4: no mediator after the call looked at the answer. -->',
    '<!-- Missing: what Idle- -one answers: the traced message did not go there. -->',
  ]);
});

test('a command calls a runtime by a name under which others reach it', () => {
  const at = (origin: string, managementUrl?: string): string => reachableOrigin(origin, managementUrl);
  assert.equal(at('http://localhost:8290', 'https://node-1.example:9164/management/'), 'http://node-1.example:8290');
  assert.equal(at('http://0.0.0.0:8300', 'https://10.0.0.7:9164/management/'), 'http://10.0.0.7:8300');
  assert.equal(at('http://orders.example:8290', 'https://node-1.example:9164/'), 'http://orders.example:8290');
  assert.equal(at('http://localhost:8290', 'https://localhost:9164/management/'), 'http://localhost:8290');
  assert.equal(at('http://localhost:8290'), 'http://localhost:8290');
});
