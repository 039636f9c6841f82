import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { startProgram, waitForAnswer, type Program } from '../helpers/program.ts';
import { freePort } from '../peers/program.ts';

const kills = 22;
const projectRoot = join(import.meta.dirname, '../..');
const synapse = 'xmlns="http://ws.apache.org/ns/synapse"';

let home = '';
let backEnd: Server;
/** How often each message arrived at the back end. */
const arrived = new Map<number, number>();

function artifacts(backEndPort: number): Readonly<Record<string, string>> {
  return {
    'message-stores/Inbox.xml': `<messageStore ${synapse} name="Inbox" class="org.apache.synapse.message.store.impl.jdbc.JDBCMessageStore">
  <parameter name="store.jdbc.driver">org.h2.Driver</parameter>
  <parameter name="store.jdbc.connection.url">jdbc:h2:./data/messages</parameter>
  <parameter name="store.jdbc.table">inbox</parameter>
</messageStore>`,
    'endpoints/Target.xml': `<endpoint ${synapse} name="Target"><http method="POST" uri-template="http://127.0.0.1:${backEndPort}/in"/></endpoint>`,
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
  home = mkdtempSync(join(tmpdir(), 'millrace-crash-'));
});

after(async () => {
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

test('no stored message is lost when the server is killed again and again', { timeout: 180_000 }, async (t) => {
  const address = backEnd.address();
  const port = await freePort();
  const files = artifacts(typeof address === 'object' && address ? address.port : 0);
  for (const [name, text] of Object.entries(files)) {
    const file = join(home, 'artifacts', name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  mkdirSync(join(home, 'conf'), { recursive: true });
  writeFileSync(
    join(home, 'conf/deployment.toml'),
    `[transport.passthru_http]
listener.parameters.port = ${port}
[transport.passthru_https]
listener.parameters.port = 0
[mediation]
internal_http_api_port = 0
internal_https_api_port = 0
[server]
offset = 0
`,
  );
  const accepted = new Set<number>();
  let next = 0;
  for (let round = 0; round < kills; round++) {
    const program = await start(port);
    const senders = [sendUntilGone(port, next, accepted), sendUntilGone(port, next + 100_000, accepted)];
    await pause(5 + Math.random() * 400);
    await program.stop('SIGKILL');
    await Promise.all(senders);
    next += 200_000;
  }
  const last = await start(port);
  try {
    const isMissing = (): number[] => [...accepted].filter((n) => !arrived.has(n));
    for (let wait = 0; wait < 600 && isMissing().length > 0; wait++) await pause(100);
    assert.deepEqual(isMissing(), []);
    const repeated = [...arrived.values()].reduce((sum, times) => sum + times - 1, 0);
    t.diagnostic(`${accepted.size} messages accepted, ${arrived.size} arrived, ${repeated} of them twice`);
    assert.ok(accepted.size > kills);
    // Only the message that was on its way when the server died comes again.
    assert.ok(repeated <= kills, `${repeated} messages came twice`);
  } finally {
    await last.stop();
  }
});
