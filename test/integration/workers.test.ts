import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, ports } from '../effects/effect-server.ts';
import { startProgram, waitForOutput } from '../helpers/program.ts';
import { removeFolder } from '../helpers/temporary-files.ts';
import { until } from '../helpers/until.ts';
import {
  answering,
  bodiesOf,
  bodyOf,
  launcher,
  patience,
  skip,
  startNode,
  write,
  type WorkerNode,
} from '../helpers/worker-node.ts';

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

function metricsOf(node: WorkerNode): string {
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
