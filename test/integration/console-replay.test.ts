import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { curlOf, requestOf, suiteOf, type Trace } from '../../web/src/trace-model.ts';
import { ask } from '../effects/effect-server.ts';
import { startManagedServer } from '../helpers/managed-server.ts';
import { temporaryFolder } from '../helpers/temporary-files.ts';

const api = `<api xmlns="http://ws.apache.org/ns/synapse" name="Greet" context="/greet"><resource methods="POST" uri-template="/{name}"><inSequence>
  <payloadFactory media-type="json"><format>{"hello":"$1","from":"$2"}</format><args><arg expression="$ctx:uri.var.name"/><arg expression="$trp:X-From"/></args></payloadFactory>
  <respond/>
</inSequence></resource></api>`;

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

  const command = curlOf({ ...request, masked: [] }, managed.server.url('API HTTP'));
  // The server runs in this process: nothing may wait for the command in its way.
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s -m 10 || true`]);
  if (stdout === '') t.diagnostic('curl is not installed: the command was not run');
  else assert.deepEqual(JSON.parse(stdout), { hello: 'Ada', from: "O'Hara" });

  const suite = suiteOf({ request, source: api, context: '/greet', expected: answer, endpoints: [] });
  const folder = temporaryFolder(t, { 'Suite.xml': suite });
  writeFileSync(join(folder, 'Wrong.xml'), suite.replace('"hello":"Ada"', '"hello":"Bob"'));
  const run = (file: string): { status: number | null; stdout: string } =>
    spawnSync(process.execPath, [join(import.meta.dirname, '../../src/cli/main.ts'), 'test', file], {
      cwd: folder,
      encoding: 'utf8',
    });
  assert.equal(run('Suite.xml').status, 0, run('Suite.xml').stdout);
  assert.equal(run('Wrong.xml').status, 1);
});
