import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { synapse } from '../helpers/managed-server.ts';
import { startProgram, waitForAnswer, type Program } from '../helpers/program.ts';
import { freePorts } from '../helpers/temporary-server.ts';
import { activemqMissing, startActivemq, type BrokerPeer } from '../peers/activemq.ts';
import { freePort } from '../peers/program.ts';

const kills = 6;
const projectRoot = join(import.meta.dirname, '../..');

let home = '';
let broker: BrokerPeer | undefined;
let backEnd: Server;
/** How often each message arrived at the back end. */
const arrived = new Map<number, number>();

function artifacts({ port, username, password }: BrokerPeer): Readonly<Record<string, string>> {
  return {
    'message-stores/Inbox.xml': `<messageStore ${synapse} name="Inbox" class="org.apache.synapse.message.store.impl.jms.JmsStore">
  <parameter name="java.naming.factory.initial">org.apache.activemq.jndi.ActiveMQInitialContextFactory</parameter>
  <parameter name="java.naming.provider.url">tcp://127.0.0.1:${port}</parameter>
  <parameter name="store.jms.username">${username}</parameter>
  <parameter name="store.jms.password">${password}</parameter>
  <parameter name="store.jms.cache.connection">true</parameter>
</messageStore>`,
    'endpoints/Target.xml': `<endpoint ${synapse} name="Target"><http method="POST" uri-template="http://127.0.0.1:${(backEnd.address() as AddressInfo).port}/in"/></endpoint>`,
    'message-processors/P.xml': `<messageProcessor ${synapse} name="P" messageStore="Inbox" targetEndpoint="Target">
  <parameter name="interval">20</parameter>
  <parameter name="throttle.interval">0</parameter>
  <parameter name="max.delivery.attempts">0</parameter>
</messageProcessor>`,
    'api/In.xml': `<api ${synapse} name="In" context="/in">
  <resource methods="POST">
    <inSequence>
      <property name="OUT_ONLY" value="true"/>
      <store messageStore="Inbox"/>
      <payloadFactory media-type="json"><format>{"stored": true}</format></payloadFactory>
      <respond/>
    </inSequence>
  </resource>
</api>`,
  };
}

before(async () => {
  backEnd = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const { n } = JSON.parse(text) as { n: number };
      arrived.set(n, (arrived.get(n) ?? 0) + 1);
      response.writeHead(202).end();
    });
  });
  await new Promise<void>((resolve) => backEnd.listen(0, '127.0.0.1', resolve));
  home = mkdtempSync(join(tmpdir(), 'millrace-broker-crash-'));
  if (activemqMissing === false) broker = await startActivemq();
});

after(async () => {
  await broker?.[Symbol.asyncDispose]();
  backEnd.closeAllConnections();
  await new Promise((resolve) => backEnd.close(resolve));
  rmSync(home, { recursive: true, force: true });
});

async function start(port: number): Promise<Program> {
  // The launcher would die alone; what is killed must be the server itself.
  const args = [join(projectRoot, 'src/cli/main.ts'), 'start', '--home', home];
  const program = startProgram(process.execPath, args, { cwd: projectRoot, env: process.env });
  await waitForAnswer(program, `http://127.0.0.1:${port}/in`, { milliseconds: 30_000, status: 405 });
  return program;
}

/** Sends messages one after the other until the server is gone; those that were answered are the server's. */
async function sendUntilGone(port: number, first: number, accepted: Set<number>): Promise<void> {
  for (let n = first; n < first + 5000; n++) {
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
      // The server was killed; whether it took this message nobody knows.
      return;
    }
  }
}

test(
  'no message in a queue is lost when the server that forwards it is killed',
  { timeout: 180_000, skip: activemqMissing },
  async (t) => {
    const port = await freePort();
    assert.ok(broker);
    const configuration = freePorts.replace('listener.parameters.port = 0', `listener.parameters.port = ${port}`);
    const files = { ...artifacts(broker) };
    for (const [name, text] of [
      ...Object.entries(files).map(([name, text]) => [`artifacts/${name}`, text] as const),
      ['conf/deployment.toml', `${configuration}[server]\noffset = 0\n`] as const,
    ]) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), text);
    }
    const accepted = new Set<number>();
    let next = 0;
    for (let round = 0; round < kills; round++) {
      const program = await start(port);
      const senders = [sendUntilGone(port, next, accepted), sendUntilGone(port, next + 100_000, accepted)];
      await pause(200 + Math.random() * 400);
      await program.stop('SIGKILL');
      await Promise.all(senders);
      next += 200_000;
    }
    const last = await start(port);
    try {
      const missing = (): number[] => [...accepted].filter((n) => !arrived.has(n));
      for (let wait = 0; wait < 600 && missing().length > 0; wait++) await pause(100);
      assert.deepEqual(missing(), [], last.output());
      const repeated = [...arrived.values()].reduce((sum, times) => sum + times - 1, 0);
      t.diagnostic(`${accepted.size} messages accepted, ${arrived.size} arrived, ${repeated} of them twice`);
      assert.ok(accepted.size > kills);
      // Only the message that was on its way when the server died comes again.
      assert.ok(repeated <= kills, `${repeated} messages came twice`);
    } finally {
      await last.stop();
    }
  },
);
