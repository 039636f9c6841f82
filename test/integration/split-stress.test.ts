import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import process from 'node:process';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';
import { until } from '../helpers/until.ts';

const backEnds = 8;
const messages = 2000;
/** How many messages are under way at once. */
const clients = 200;

/** Numbers that look random and are the same in each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A back end that mostly answers, and else fails, is late, closes the connection or is silent for a while. */
async function startBackEnd(number: number, random: () => number): Promise<Server> {
  const answer = (response: ServerResponse): void => {
    if (!response.destroyed) response.setHeader('Content-Type', 'application/json').end(`{"from":${number}}`);
  };
  const server = createServer((incoming, response) => {
    incoming.resume();
    const chance = random();
    if (chance < 0.05) response.socket?.destroy();
    else if (chance < 0.1) setTimeout(answer, 1200, response);
    else if (chance < 0.15) response.writeHead(500, { 'Content-Type': 'application/json' }).end('{"failed":true}');
    else if (chance < 0.4) setTimeout(answer, random() * 30, response);
    else answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function apiOver(ports: readonly number[]): string {
  const targets = ports.map(
    (port) => `<target><sequence>
      <call><endpoint><http method="post" uri-template="http://127.0.0.1:${port}/"><suspendOnFailure><errorCodes>-1</errorCodes><initialDuration>0</initialDuration></suspendOnFailure><markForSuspension><errorCodes>-1</errorCodes></markForSuspension></http></endpoint></call>
    </sequence></target>`,
  );
  return `<api xmlns="http://ws.apache.org/ns/synapse" name="Stress" context="/stress">
  <resource methods="POST">
    <inSequence>
      <clone>${targets.join('\n')}</clone>
      <aggregate>
        <completeCondition timeout="1"><messageCount min="-1" max="-1"/></completeCondition>
        <onComplete expression="json-eval($)">
          <property name="HTTP_SC" value="200" scope="axis2"/>
          <respond/>
        </onComplete>
      </aggregate>
    </inSequence>
    <faultSequence><log level="custom"><property name="failed" expression="get-property('ERROR_CODE')"/></log></faultSequence>
  </resource>
</api>`;
}

/** Posts one message and goes away before the answer can be there. */
function postAndLeave(url: string): Promise<void> {
  return new Promise((resolve) => {
    const outgoing = request(url, { method: 'POST', agent: false, headers: { 'Content-Type': 'application/json' } });
    outgoing.on('error', () => undefined);
    outgoing.on('close', resolve);
    outgoing.end('{"left":true}', () => setTimeout(() => outgoing.destroy(), 2));
  });
}

/** Posts one message; gives the status and how many branches the answer holds. */
function post(url: string, agent: Agent, body: string): Promise<{ status: number; branches: number }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method: 'POST', agent, headers: { 'Content-Type': 'application/json' } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const value: unknown = text === '' ? [] : JSON.parse(text);
          resolve({ status: response.statusCode ?? 0, branches: Array.isArray(value) ? value.length : -1 });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Sends messages with so many clients at once; beside every tenth of them one whose client does not wait. */
async function sendAll(url: string, count: number): Promise<{ status: number; branches: number }[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const answers: { status: number; branches: number }[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) {
      const number = next++;
      const leaving = number % 10 === 0 ? postAndLeave(url) : undefined;
      answers.push(await post(url, agent, `{"message":${number}}`));
      await leaving;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  return answers;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of objects that something still holds. */
async function heldMemory(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    await sleep(20);
    collect();
  }
  return process.memoryUsage().heapUsed;
}

/** Listeners on the process and its signals, and messages under way, as the server counts them. */
async function leftovers(server: TemporaryServer): Promise<{ listeners: number; messages: number }> {
  const response = await fetch(`${server.url('Probes and metrics')}/metric-service/metrics`, {
    signal: AbortSignal.timeout(60_000),
  });
  const messages = /^millrace_messages_in_flight (\d+)$/m.exec(await response.text())?.[1];
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  return { listeners, messages: Number(messages) };
}

/** Waits for the latest back ends, and until nothing is under way. */
async function settled(server: TemporaryServer): Promise<void> {
  await sleep(2500);
  await until('nothing is under way', async () => (await leftovers(server)).messages === 0);
}

/** Timers and sockets that keep the process alive, without the connections that are kept for the next message. */
function timersUnderWay(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

test('thousands of messages through clone and aggregate over failing back ends each get one answer', async () => {
  const random = randomNumbers(20_260_101);
  const servers = await Promise.all(Array.from({ length: backEnds }, (_, number) => startBackEnd(number, random)));
  try {
    const ports = servers.map((server) => (server.address() as AddressInfo).port);
    await using running = await startTemporaryServer({ 'artifacts/apis/Stress.xml': apiOver(ports) });
    const url = `${running.url('API HTTP')}/stress`;
    // What is compiled and pooled once is there before memory is looked at.
    await sendAll(url, 400);
    await settled(running);
    const before = await heldMemory();
    const leftBefore = await leftovers(running);
    const timersBefore = timersUnderWay();
    assert.equal(leftBefore.messages, 0);
    const answers = await sendAll(url, messages);
    assert.equal(answers.length, messages);
    const complete = answers.filter(({ status, branches }) => status === 200 && branches === backEnds).length;
    const partial = answers.filter(
      ({ status, branches }) => status === 200 && branches > 0 && branches < backEnds,
    ).length;
    const empty = answers.filter(({ status, branches }) => status === 500 && branches === 0).length;
    assert.equal(complete + partial + empty, messages, 'an answer has more branches than there are, or another status');
    assert.ok(complete > messages / 10, `only ${complete} answers are complete`);
    assert.ok(partial > messages / 10, `only ${partial} answers are partial, so nothing has failed`);
    // The latest back ends answer groups that are complete already; after that nothing may be left.
    await settled(running);
    const after = await heldMemory();
    assert.ok(after - before < 16 * 1024 * 1024, `${after - before} bytes are still held`);
    assert.deepEqual(await leftovers(running), leftBefore);
    await until(`not more timers run than the ${timersBefore} of before`, () => timersUnderWay() <= timersBefore + 2);
  } finally {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  }
});
