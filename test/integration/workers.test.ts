import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, ports, type Files } from '../effects/effect-server.ts';
import { startProgram, waitForOutput, type Program } from '../helpers/program.ts';
import { until } from '../helpers/until.ts';
import { removeFolder } from '../helpers/temporary-files.ts';

const launcher = join(import.meta.dirname, '../../bin/millrace');
const patience = 60_000;
const isLinux = process.platform === 'linux';
const skip = isLinux ? false : 'only Linux distributes the connections of a shared port';

interface Node {
  readonly home: string;
  readonly program: Program;
  url(name: string): string;
  /** Processes of the workers that run. */
  pids(): number[];
}

/** Starts a server with `workers` and these files in its home. */
async function startNode(t: TestContext, files: Files, workers = 2, config = ''): Promise<Node> {
  const home = mkdtempSync(join(tmpdir(), 'millrace-workers-'));
  const all = { ...files, 'conf/deployment.toml': `${ports}[millrace]\nworkers = ${workers}\n${config}` };
  for (const [path, content] of Object.entries(all)) write(home, path, content);
  const program = startProgram(process.execPath, [launcher, 'start', '--home', home, '--log-level', 'debug'], {
    env: { PATH: process.env['PATH'], HOME: home },
  });
  t.after(async () => {
    await program.stop();
    removeFolder(home);
  });
  await waitForOutput(program, /"workers":\d+,.*"started"/, patience);
  const lines = (message: string): Record<string, unknown>[] =>
    program
      .output()
      .split('\n')
      .filter((line) => line.includes(`"msg":"${message}`))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    home,
    program,
    url: (name) => String(lines(`${name} is open`)[0]?.['url']),
    pids: () => lines('a worker is ready').map(({ pid }) => Number(pid)),
  };
}

function write(home: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), content);
}

/** An API at `/t` that answers with a text behind these mediators. */
function answering(text: string, before = ''): Files {
  return {
    'artifacts/api/t.xml': `<api xmlns="http://ws.apache.org/ns/synapse" name="T" context="/t">
  <resource methods="GET POST"><inSequence>${before}
    <payloadFactory media-type="text"><format>${text}</format><args/></payloadFactory><respond/>
  </inSequence></resource></api>`,
  };
}

async function bodyOf(url: string): Promise<string> {
  const answer = await ask(url);
  return typeof answer === 'string' ? answer : answer.body;
}

/** What `count` requests are answered, each on a connection of its own. */
async function bodiesOf(url: string, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => bodyOf(url)));
}

/** A back end that remembers the bodies it gets. */
async function startBackEnd(t: TestContext): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer((incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    incoming.on('end', () => {
      bodies.push(text);
      response.end('taken');
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, bodies };
}

test('workers serve one port; one that is killed takes only its own requests along', { skip }, async (t) => {
  const node = await startNode(t, answering('served'));
  const url = `${node.url('API HTTP')}/t`;
  const [, victim = 0] = node.pids();
  assert.equal(node.pids().length, 2);
  const agents = Array.from({ length: 16 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  t.after(() => {
    for (const agent of agents) agent.destroy();
  });
  let isOver = false;
  let served = 0;
  const failuresOf = async (agent: Agent): Promise<number> => {
    let failures = 0;
    while (!isOver) {
      const outcome = await new Promise<number>((resolve) => {
        const sent = request(url, { agent }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0));
          response.on('error', () => resolve(0));
        });
        sent.on('error', () => resolve(0));
        sent.end();
      });
      if (outcome === 200) served++;
      else failures++;
    }
    return failures;
  };
  const clients = agents.map(failuresOf);
  await until('both serve', () => served > 500);
  process.kill(victim, 'SIGKILL');
  const before = served;
  await until('the port answers on', () => served > before + 500);
  await until('the worker is started again', () => node.pids().length === 3);
  await until('both run', async () => /^millrace_workers 2$/m.test(await bodyOf(metricsOf(node))));
  isOver = true;
  const failures = await Promise.all(clients);
  assert.ok(Math.max(...failures) <= 1, `a connection failed more than once: ${failures.join(' ')}`);
  assert.match(await bodyOf(metricsOf(node)), /^millrace_worker_restarts_total 1$/m);
  assert.equal(await node.program.stop(), 0);
});

function metricsOf(node: Node): string {
  return `${node.url('Probes and metrics')}/metric-service/metrics`;
}

test('metrics of all workers are one, whichever of them is asked', { skip }, async (t) => {
  const node = await startNode(t, answering('served'), 3);
  assert.deepEqual(new Set(await bodiesOf(`${node.url('API HTTP')}/t`, 60)), new Set(['served']));
  for (let round = 0; round < 6; round++) {
    const text = await bodyOf(metricsOf(node));
    const total = [...text.matchAll(/^millrace_api_requests_total\{.*\} (\d+)$/gm)].reduce(
      (sum, [, n]) => sum + Number(n),
      0,
    );
    assert.equal(total, 60, text);
    assert.match(text, /^millrace_workers 3$/m);
  }
});

test('a changed artifact is deployed in every worker', { skip }, async (t) => {
  const node = await startNode(t, answering('old'));
  const url = `${node.url('API HTTP')}/t`;
  assert.deepEqual(new Set(await bodiesOf(url, 30)), new Set(['old']));
  for (const [path, content] of Object.entries(answering('new'))) write(node.home, path, content);
  await until('all answer anew', async () => (await bodiesOf(url, 30)).every((body) => body === 'new'));
});

test('a throttle counts the requests of all workers', { skip }, async (t) => {
  const policy = `<throttle id="A"><policy><wsp:Policy xmlns:wsp="http://schemas.xmlsoap.org/ws/2004/09/policy" xmlns:throttle="http://www.wso2.org/products/wso2commons/throttle">
    <throttle:ThrottleAssertion><wsp:All><throttle:ID throttle:type="IP">other</throttle:ID><wsp:ExactlyOne><wsp:All>
      <throttle:MaximumCount>10</throttle:MaximumCount><throttle:UnitTime>600000</throttle:UnitTime>
    </wsp:All></wsp:ExactlyOne></wsp:All></throttle:ThrottleAssertion></wsp:Policy></policy>
    <onReject><payloadFactory media-type="text"><format>refused</format><args/></payloadFactory><respond/></onReject></throttle>`;
  const node = await startNode(t, answering('passed', policy));
  const bodies = await bodiesOf(`${node.url('API HTTP')}/t`, 40);
  assert.equal(bodies.filter((body) => body === 'passed').length, 10);
  assert.equal(bodies.filter((body) => body === 'refused').length, 30);
});

test('a store in memory is one for all workers, and one of them empties it', { skip }, async (t) => {
  const backEnd = await startBackEnd(t);
  const node = await startNode(t, {
    'artifacts/message-stores/s.xml': '<messageStore xmlns="http://ws.apache.org/ns/synapse" name="S"/>',
    'artifacts/endpoints/e.xml': `<endpoint xmlns="http://ws.apache.org/ns/synapse" name="E"><address uri="${backEnd.url}"/></endpoint>`,
    'artifacts/message-processors/p.xml': `<messageProcessor xmlns="http://ws.apache.org/ns/synapse" name="P" messageStore="S" targetEndpoint="E"
  class="org.apache.synapse.message.processor.impl.forwarder.ScheduledMessageForwardingProcessor">
  <parameter name="interval">10</parameter><parameter name="is.active">true</parameter></messageProcessor>`,
    ...answering('stored', '<property name="OUT_ONLY" value="true"/><store messageStore="S"/>'),
  });
  const url = `${node.url('API HTTP')}/t`;
  const texts = Array.from({ length: 6 }, (_, index) => `{"number":${index}}`);
  const headers = { 'Content-Type': 'application/json' };
  await Promise.all(texts.map((body) => ask(url, { method: 'POST', headers, body })));
  await until('all arrive', () => backEnd.bodies.length >= texts.length);
  assert.deepEqual(backEnd.bodies.toSorted(), texts.toSorted());
});

test('a task runs in one of the workers', { skip }, async (t) => {
  const backEnd = await startBackEnd(t);
  const node = await startNode(t, {
    'artifacts/tasks/k.xml': `<task xmlns="http://ws.apache.org/ns/synapse" name="K" class="org.apache.synapse.startup.tasks.MessageInjector" group="synapse.simple.quartz">
  <trigger count="3" interval="1"/>
  <property xmlns:task="http://www.wso2.org/products/wso2commons/tasks" name="injectTo" value="sequence"/>
  <property xmlns:task="http://www.wso2.org/products/wso2commons/tasks" name="sequenceName" value="Q"/>
  <property xmlns:task="http://www.wso2.org/products/wso2commons/tasks" name="message"><tick xmlns=""/></property></task>`,
    'artifacts/sequences/q.xml': `<sequence xmlns="http://ws.apache.org/ns/synapse" name="Q"><call><endpoint><address uri="${backEnd.url}" format="pox"/></endpoint></call></sequence>`,
  });
  await until('the task has run three times', () => backEnd.bodies.length >= 3);
  await sleep(1500);
  assert.equal(backEnd.bodies.length, 3);
  assert.equal(await node.program.stop(), 0);
});

test(
  'a stop lets requests finish; SIGHUP puts new processes in place without a failed request',
  { skip },
  async (t) => {
    let asked = 0;
    const slow = createServer((_incoming, response) => {
      asked++;
      setTimeout(() => response.end('late'), 1000);
    });
    await new Promise<void>((resolve) => void slow.listen(0, '127.0.0.1', resolve));
    t.after(() => void slow.close());
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`;
    const node = await startNode(t, answering('later', `<call><endpoint><address uri="${url}"/></endpoint></call>`));
    const first = node.pids();
    const early = bodiesOf(`${node.url('API HTTP')}/t`, 8);
    await until('each is under way', () => asked === 8);
    // The launcher hands its program's process over only by name; the supervisor is the parent of the workers.
    process.kill(parentOf(first[0] ?? 0), 'SIGHUP');
    await waitForOutput(node.program, /every worker was replaced/, patience);
    assert.deepEqual(new Set(await early), new Set(['later']));
    assert.equal(node.pids().length, 4);
    const last = bodiesOf(`${node.url('API HTTP')}/t`, 8);
    await until('each is under way', () => asked === 16);
    assert.equal(await node.program.stop(), 0);
    assert.deepEqual(new Set(await last), new Set(['later']));
    for (const pid of node.pids()) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  },
);

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

test('workers end with a supervisor that was killed', { skip }, async (t) => {
  const node = await startNode(t, answering('served'));
  const [first = 0] = node.pids();
  process.kill(parentOf(first), 'SIGKILL');
  const isGone = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  };
  await until('the workers have ended', () => node.pids().every(isGone));
});

test('a port that another server has is refused, although ports could be shared', { skip }, async (t) => {
  const node = await startNode(t, answering('served'));
  const port = new URL(node.url('API HTTP')).port;
  const home = mkdtempSync(join(tmpdir(), 'millrace-workers-'));
  t.after(() => removeFolder(home));
  const text = ports.replace('listener.parameters.port = 0', `listener.parameters.port = ${port}`);
  write(home, 'conf/deployment.toml', `${text}[millrace]\nworkers = 2\n`);
  const other = startProgram(process.execPath, [launcher, 'start', '--home', home], {
    env: { PATH: process.env['PATH'], HOME: home },
  });
  assert.equal(await other.ended(), 1);
  assert.match(other.output(), new RegExp(`Port ${port} .* is in use by another program`));
});

/** Calls the management API, each time on a connection of its own, so that any worker answers. */
function manage(node: Node, line: string, body?: unknown): Promise<{ status: number; json: Record<string, unknown> }> {
  const [method = '', path = ''] = line.split(' ');
  const headers = {
    Authorization: line.includes('/login') ? basicAdmin : `Bearer ${tokens.get(node) ?? ''}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const { hostname, port } = new URL(node.url('Management'));
  return new Promise((resolve, reject) => {
    const options = { method, hostname, port, path: `/management${path}`, headers, agent: false as const };
    const sent = httpsRequest({ ...options, rejectUnauthorized: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
        resolve({ status: response.statusCode ?? 0, json });
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const tokens = new WeakMap<Node, string>();
const basicAdmin = `Basic ${Buffer.from('admin:admin').toString('base64')}`;
const account = `[management_api]
protocols = "https"
[[internal_apis.users]]
user.name = "admin"
user.password = "admin"
user.is_admin = true
`;

async function signedIn(t: TestContext, files: Files): Promise<Node> {
  const node = await startNode(t, files, 2, account);
  const { status, json } = await manage(node, 'GET /login');
  assert.equal(status, 200);
  tokens.set(node, String(json['AccessToken']));
  return node;
}

/** The same question on so many connections that every worker is asked. */
async function askEach(node: Node, line: string): Promise<Record<string, unknown>[]> {
  const answers = await Promise.all(Array.from({ length: 16 }, () => manage(node, line)));
  for (const { status } of answers) assert.equal(status, 200, line);
  return answers.map(({ json }) => json);
}

const listIn = (json: Record<string, unknown>): Record<string, unknown>[] => json['list'] as Record<string, unknown>[];

test('the management API of a node is one, whichever worker answers', { skip }, async (t) => {
  const node = await signedIn(t, {
    ...answering('served'),
    'artifacts/proxy/P.xml': `<proxy xmlns="http://ws.apache.org/ns/synapse" name="P" transports="http" startOnLoad="true">
  <target><inSequence><respond/></inSequence></target></proxy>`,
  });
  const url = `${node.url('API HTTP')}/t`;

  // A session is known to all, until it is ended.
  await askEach(node, 'GET /server');

  // What is switched is switched everywhere, and counted everywhere.
  const counted = await manage(node, 'POST /apis', { name: 'T', statistics: 'enable' });
  assert.equal(counted.status, 200, JSON.stringify(counted.json));
  for (const detail of await askEach(node, 'GET /apis?apiName=T')) assert.equal(detail['stats'], 'enabled');
  await bodiesOf(url, 40);
  const respond = (json: Record<string, unknown>): unknown =>
    listIn(json).find(({ element }) => element === 'respond')?.['count'];
  for (const counters of await askEach(node, 'GET /millrace/counters')) assert.equal(respond(counters), 40);
  const [{ cursor } = {}] = await askEach(node, 'GET /millrace/counters');
  assert.deepEqual((await manage(node, `GET /millrace/counters?since=${Number(cursor)}`)).json['list'], []);

  // Traces of all workers are one list, and each can be opened by its number.
  assert.equal((await manage(node, 'POST /apis', { name: 'T', trace: 'enable' })).status, 200);
  await bodiesOf(url, 24);
  const [traces = {}] = await askEach(node, 'GET /millrace/traces');
  const numbers = listIn(traces).map(({ number }) => Number(number));
  assert.equal(new Set(numbers).size, 24);
  const opened = await Promise.all(numbers.map((number) => manage(node, `GET /millrace/traces/${number}`)));
  assert.deepEqual(
    opened.map(({ json }) => json['number']),
    numbers,
  );
  assert.ok(opened.every(({ json }) => (json['steps'] as unknown[]).length > 0));
  assert.equal((await manage(node, 'DELETE /millrace/traces')).status, 200);
  for (const json of await askEach(node, 'GET /millrace/traces')) assert.equal(json['count'], 0);
  assert.equal((await manage(node, 'POST /apis', { name: 'T', trace: 'disable' })).status, 200);

  // A capture is one, wherever its messages arrive.
  const capture = await manage(node, 'POST /millrace/captures', { artifact: 'api:T', next: 4, seconds: 60 });
  assert.equal(capture.status, 201);
  for (const json of await askEach(node, 'GET /millrace/captures')) assert.equal(json['count'], 1);
  for (let turn = 0; turn < 20; turn++) await bodyOf(url);
  await until('it ended', async () =>
    (await askEach(node, 'GET /millrace/captures')).every(({ count }) => count === 0),
  );
  const [captured = {}] = await askEach(node, 'GET /millrace/traces');
  assert.equal(captured['count'], 4);
  const forever = await manage(node, 'POST /millrace/captures', { artifact: 'api:T', next: 900, seconds: 60 });
  assert.equal((await manage(node, `DELETE /millrace/captures/${String(forever.json['id'])}`)).status, 200);
  for (const json of await askEach(node, 'GET /millrace/captures')) assert.equal(json['count'], 0);

  // Levels, the correlation log and the state of artifacts.
  assert.equal((await manage(node, 'PATCH /logging', { loggerName: 'api', loggingLevel: 'ERROR' })).status, 200);
  for (const json of await askEach(node, 'GET /logging?loggerName=api')) assert.equal(json['level'], 'ERROR');
  assert.equal((await manage(node, 'DELETE /logging?loggerName=api')).status, 200);
  for (const json of await askEach(node, 'GET /logging?loggerName=api')) assert.equal(json['level'], 'DEBUG');
  const on = { configName: 'correlation', configs: { enabled: true } };
  assert.equal((await manage(node, 'PUT /configs', on)).status, 200);
  for (const json of await askEach(node, 'GET /configs?configName=correlation')) assert.deepEqual(json, on);
  assert.equal((await manage(node, 'POST /proxy-services', { name: 'P', status: 'inactive' })).status, 200);
  for (const json of await askEach(node, 'GET /proxy-services?proxyServiceName=P'))
    assert.equal(json['isRunning'], false);

  // A worker that takes the place of another one is as the others are, and what was counted stays.
  process.kill(node.pids()[1] ?? 0, 'SIGKILL');
  await until('a worker took its place', () => node.pids().length === 3);
  for (const json of await askEach(node, 'GET /apis?apiName=T')) assert.equal(json['stats'], 'enabled');
  for (const json of await askEach(node, 'GET /proxy-services?proxyServiceName=P'))
    assert.equal(json['isRunning'], false);
  for (const json of await askEach(node, 'GET /configs?configName=correlation')) assert.deepEqual(json, on);
  for (const json of await askEach(node, 'GET /millrace/counters')) assert.ok(Number(respond(json)) >= 40);

  assert.equal((await manage(node, 'GET /logout')).status, 200);
  const ended = await Promise.all(Array.from({ length: 8 }, () => manage(node, 'GET /server')));
  assert.ok(ended.every(({ status }) => status === 401));
});
