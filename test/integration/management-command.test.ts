import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { ask } from '../effects/effect-server.ts';
import { freePorts } from '../helpers/temporary-server.ts';
import { startProgram, waitForOutput, type Program } from '../helpers/program.ts';

const launcher = join(import.meta.dirname, '../../bin/millrace');
const patience = 60_000;

const api = `<api xmlns="http://ws.apache.org/ns/synapse" name="Hello" context="/hello"><resource methods="GET">
<inSequence><property name="greeting" value="hi"/><respond/></inSequence></resource></api>`;

let home: string;
let program: Program;

before(async () => {
  home = mkdtempSync(join(tmpdir(), 'millrace-command-'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  write('conf/deployment.toml', `${freePorts}\n[super_admin]\nusername = "root"\npassword = "open"\n`);
  write('artifacts/api/hello.xml', api);
  write(
    'artifacts/endpoints/e.xml',
    `<endpoint xmlns="http://ws.apache.org/ns/synapse" name="E"><address uri="http://e.example"/></endpoint>`,
  );
  program = startProgram(process.execPath, [launcher, 'start', '--home', home], {
    env: { PATH: process.env['PATH'], HOME: home },
  });
  await waitForOutput(program, /"started"/, patience);
});

after(async () => {
  await program.stop();
  rmSync(home, { recursive: true, force: true });
});

/** The address of a listener as the log names it last. */
function addressOf(name: string): string {
  const line = program
    .output()
    .split('\n')
    .filter((candidate) => candidate.includes(`${name} is open`))
    .at(-1);
  return (JSON.parse(line ?? '{}') as { url?: string }).url ?? '';
}

/** Runs a command of this home's user: what it prints and how it ends. */
function run(args: readonly string[], input = ''): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [launcher, ...args], {
    env: { PATH: process.env['PATH'], HOME: home, NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })));
}

test('a user signs in, looks, switches, traces and reads the trace', async () => {
  const nobody = await run(['get', 'apis']);
  assert.deepEqual([nobody.code, /millrace login/.test(nobody.err)], [1, true]);
  const wrong = await run(['login', addressOf('Management'), '--user', 'root', '--insecure'], 'wrong\n');
  assert.deepEqual([wrong.code, /password is wrong/.test(wrong.err)], [1, true], wrong.err);
  const unchecked = await run(['login', addressOf('Management'), '--user', 'root'], 'open\n');
  assert.deepEqual([unchecked.code, /--insecure/.test(unchecked.err)], [1, true], unchecked.err);
  const signedIn = await run(['login', addressOf('Management'), '--user', 'root', '--insecure'], 'open\n');
  assert.equal(signedIn.code, 0, signedIn.err);
  assert.equal(statSync(join(home, '.config/millrace/sessions.json')).mode & 0o777, 0o600);

  const listed = await run(['get', 'apis']);
  assert.match(listed.out, /^NAME +URL +TRACING\nHello +http:\/\/localhost:\d+\/hello +disabled\n$/);
  const json = JSON.parse((await run(['get', 'apis', 'Hello', '--output', 'json'])).out) as { context: string };
  assert.equal(json.context, '/hello');

  assert.match((await run(['deactivate', 'endpoint', 'E'])).out, /deactivated/);
  assert.match((await run(['get', 'endpoints'])).out, /E +address +false/);
  assert.match((await run(['activate', 'endpoint', 'E'])).out, /activated/);
  const unknown = await run(['activate', 'endpoint', 'None']);
  assert.deepEqual([unknown.code, unknown.err], [1, 'error: There is no endpoint "None"\n']);

  assert.match((await run(['log', 'deployment', 'DEBUG'])).out, /DEBUG/);
  assert.match((await run(['trace', 'start', 'api:Hello', '--payloads'])).out, /next message/);
  await ask(`${addressOf('API HTTP')}/hello`);
  const [, number = ''] = /^(\d+) +api:Hello/m.exec((await run(['trace', 'list'])).out) ?? [];
  assert.match((await run(['trace', 'show', number])).out, /in\/0 <property>[^\n]*\n[^!]*> default:greeting = hi/);

  const broken = join(home, 'broken.car');
  writeFileSync(broken, 'no archive');
  const refused = await run(['deploy', broken]);
  assert.deepEqual([refused.code, /not deployed/.test(refused.err)], [1, true]);
});

test('the management API restarts the server, gracefully', async () => {
  const url = addressOf('Management');
  const login = await ask(`${url}/management/login`, {
    headers: { Authorization: `Basic ${Buffer.from('root:open').toString('base64')}` },
  });
  assert.ok(typeof login !== 'string');
  const { AccessToken: token } = JSON.parse(login.body) as { AccessToken: string };
  const answer = await ask(`${url}/management/server`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: '{"status":"restartGracefully"}',
  });
  assert.equal(typeof answer === 'string' ? answer : answer.status, 200);
  await waitForOutput(program, /"started"[^]*"restarting"[^]*"started"/, patience);
  const again = await ask(`${addressOf('API HTTP')}/hello`);
  assert.equal(typeof again === 'string' ? again : again.status, 200);
});
