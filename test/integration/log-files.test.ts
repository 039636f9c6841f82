import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { test, type TestContext } from 'node:test';
import { apiOf, ask, ports, type Ask } from '../effects/effect-server.ts';
import { basic, twoUsers } from '../helpers/management-calls.ts';
import { startProgram, waitForOutput } from '../helpers/program.ts';
import { until } from '../helpers/until.ts';
import { removeFolder } from '../helpers/temporary-files.ts';

const launcher = join(import.meta.dirname, '../../bin/millrace');
const patience = 60_000;
const secret = 'not-for-files';

/** An API that notes each request, and one whose back end is not there. */
const files = {
  ...apiOf('<log level="custom" category="ERROR"><property name="seen" expression="$trp:X-Id"/></log><respond/>'),
  'conf/deployment.toml': '',
};

interface Node {
  readonly logs: string;
  readonly api: string;
  readonly output: () => string;
  readonly management: (path: string, options?: Ask) => Promise<string>;
  stop(): Promise<unknown>;
}

async function start(t: TestContext, configuration = ''): Promise<Node> {
  const home = mkdtempSync(join(tmpdir(), 'millrace-log-files-'));
  const text = `${ports}${configuration}\n${twoUsers(secret)}`;
  for (const [path, content] of Object.entries({ ...files, 'conf/deployment.toml': text })) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content);
  }
  const program = startProgram(process.execPath, [launcher, 'start', '--home', home], {
    env: { PATH: process.env['PATH'], HOME: home },
  });
  t.after(async () => {
    await program.stop();
    removeFolder(home);
  });
  const urlOf = async (name: string): Promise<string> => {
    const output = await waitForOutput(program, new RegExp(`"msg":"${name} is open`), patience);
    const line = output.split('\n').find((candidate) => candidate.includes(`"msg":"${name} is open`)) ?? '{}';
    return (JSON.parse(line) as { url: string }).url;
  };
  const [api, url] = [await urlOf('API HTTP'), await urlOf('Management')];
  const call = async (path: string, options: Ask = {}): Promise<string> => {
    const answer = await ask(`${url}/management${path}`, options);
    if (typeof answer === 'string') assert.fail(answer);
    return answer.body;
  };
  let token = '';
  const management = async (path: string, options: Ask = {}): Promise<string> => {
    token ||= (JSON.parse(await call('/login', { headers: basic('root', secret) })) as { AccessToken: string })
      .AccessToken;
    return call(path, { ...options, headers: { ...options.headers, Authorization: `Bearer ${token}` } });
  };
  return { logs: join(home, 'logs'), api, output: () => program.output(), management, stop: () => program.stop() };
}

const json = { 'Content-Type': 'application/json' };

test('a request that is logged is seen in the files, over the management API and on disk', async (t) => {
  const node = await start(t);
  assert.equal(((await ask(`${node.api}/t`, { headers: { 'X-Id': 'id-4711' } })) as { status: number }).status, 200);
  const seen = async (name: string): Promise<boolean> =>
    (await node.management(`/logs?file=${name}`)).includes('id-4711');
  await until('the line is in the log file', () => seen('wso2carbon.log'));
  await until('it is in the file of errors', () => seen('wso2error.log'));
  const part = JSON.parse(await node.management('/millrace/log-parts/wso2carbon.log')) as { text: string };
  const line = part.text.split('\n').find((candidate) => candidate.includes('id-4711')) ?? '';
  assert.equal(node.output().split('\n').includes(line), true, 'the line is the one of standard output');
  const body = JSON.stringify({ name: 'T', trace: 'enable' });
  await node.management('/apis', { method: 'POST', headers: json, body });
  await until('the change is in the audit', async () =>
    (await node.management('/logs?file=audit.log')).includes('"type":"api_trace"'),
  );
  const { list } = JSON.parse(await node.management('/logs')) as { list: { FileName: string; Size: string }[] };
  assert.deepEqual(
    list.map(({ FileName }) => FileName),
    ['audit.log', 'wso2carbon.log', 'wso2error.log'],
  );
  await node.stop();
  const text = readFileSync(join(node.logs, 'wso2carbon.log'), 'utf8');
  assert.match(text, /"msg":"started"/);
  assert.match(text.trim().split('\n').at(-1) ?? '', /"msg":"stopped"/, 'the last line is there');
  assert.doesNotMatch(text + readFileSync(join(node.logs, 'audit.log'), 'utf8'), new RegExp(secret));
});

test('workers and their supervisor write one file without tearing its lines', async (t) => {
  const node = await start(t, '[millrace]\nworkers = 2\n');
  const count = 400;
  const ids = Array.from({ length: count }, (_, index) => `id-${index}-${'x'.repeat(500)}`);
  for (let at = 0; at < count; at += 20) {
    await Promise.all(ids.slice(at, at + 20).map((id) => ask(`${node.api}/t`, { headers: { 'X-Id': id } })));
  }
  await node.stop();
  const lines = readFileSync(join(node.logs, 'wso2carbon.log'), 'utf8').trim().split('\n');
  const records = lines.map((line) => JSON.parse(line) as { pid?: number; seen?: string });
  assert.equal(ids.filter((id) => lines.some((line) => line.includes(id))).length, count);
  assert.ok(new Set(records.map(({ pid }) => pid)).size >= 2, 'lines of more than one process');
});

test('full files are put aside while the server runs', async (t) => {
  const node = await start(t, '[millrace]\nlog_files.max_size = 2000\nlog_files.max_files = 2\n');
  const full = (): string[] => readdirSync(node.logs).filter((name) => /^wso2carbon-.*\.\d+\.log$/.test(name));
  await until('a fourth file is put aside', async () => {
    await ask(`${node.api}/t`, { headers: { 'X-Id': 'y'.repeat(1000) } });
    return full().some((name) => /\.[4-9]\.log$/.test(name));
  });
  assert.ok(full().length <= 3, 'two, and a third one for the moment before the oldest is removed');
});

test('a server whose files are switched off makes none', async (t) => {
  const off = await start(t, '[millrace]\nlog_files.enable = false\n');
  assert.match(await off.management('/logs'), /NO_LOG_FILES/);
  await off.stop();
  assert.equal(existsSync(off.logs), false);
});
