import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { synapse } from './managed-server.ts';
import { startProgram, waitForAnswer, type Program } from './program.ts';

const projectRoot = join(import.meta.dirname, '../..');

/** A server that a test kills: its home, and the API port at whose `/in` it takes messages such as `{"n": 1}`. */
export interface KilledServer {
  readonly home: string;
  readonly port: number;
}

/** Starts the server's own process and waits until it takes messages. */
export async function startKillable({ home, port }: KilledServer): Promise<Program> {
  // The launcher would die alone; what is killed must be the server itself.
  const args = [join(projectRoot, 'src/cli/main.ts'), 'start', '--home', home];
  const program = startProgram(process.execPath, args, { cwd: projectRoot, env: process.env });
  await waitForAnswer(program, `http://127.0.0.1:${port}/in`, { milliseconds: 30_000, status: 405 });
  return program;
}

/** Numbers of messages that a server took. */
export interface Numbers {
  readonly first: number;
  readonly accepted: Set<number>;
  /** 5000 when absent. */
  readonly count?: number;
}

/** Sends messages one after the other until the server is gone; those that were answered are the server's. */
export async function sendUntilGone(
  { port }: Pick<KilledServer, 'port'>,
  { first, accepted, count = 5000 }: Numbers,
): Promise<void> {
  for (let n = first; n < first + count; n++) {
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

/**
 * Starts and kills a server so many times, at another moment of two streams of messages each time.
 *
 * @param from first number of the messages
 * @param earliest milliseconds that it lives at least
 * @returns the numbers of the messages that it took
 */
export async function killAgainAndAgain(
  server: KilledServer,
  { kills, from = 0, earliest = 5 }: { readonly kills: number; readonly from?: number; readonly earliest?: number },
): Promise<Set<number>> {
  const accepted = new Set<number>();
  let first = from;
  for (let round = 0; round < kills; round++) {
    const program = await startKillable(server);
    const sending = [0, 10_000].map((more) => sendUntilGone(server, { first: first + more, accepted }));
    await pause(earliest + Math.random() * 400);
    await program.stop('SIGKILL');
    await Promise.all(sending);
    first += 20_000;
  }
  return accepted;
}

/** Waits up to a minute until each number has arrived; gives those that have not. */
export async function missingOf(
  accepted: ReadonlySet<number>,
  hasArrived: (n: number) => boolean,
): Promise<readonly number[]> {
  const missing = (): number[] => [...accepted].filter((n) => !hasArrived(n));
  for (let wait = 0; wait < 600 && missing().length > 0; wait++) await pause(100);
  return missing();
}

/** A back end that counts how often each message arrives. */
export interface CountingBackEnd extends AsyncDisposable {
  readonly port: number;
  readonly arrived: ReadonlyMap<number, number>;
}

export async function startCountingBackEnd(): Promise<CountingBackEnd> {
  const arrived = new Map<number, number>();
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const { n } = JSON.parse(text) as { n: number };
      arrived.set(n, (arrived.get(n) ?? 0) + 1);
      response.writeHead(202).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    arrived,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Artifacts by file: messages to `/in` go into a store called `Inbox`, and from there to a back end. */
export function storeAndForward(store: string, backEndPort: number): Readonly<Record<string, string>> {
  return {
    'artifacts/message-stores/Inbox.xml': store,
    'artifacts/endpoints/Target.xml': `<endpoint ${synapse} name="Target"><http method="POST" uri-template="http://127.0.0.1:${backEndPort}/in"/></endpoint>`,
    'artifacts/message-processors/P.xml': `<messageProcessor ${synapse} name="P" messageStore="Inbox" targetEndpoint="Target">
  <parameter name="interval">20</parameter>
  <parameter name="throttle.interval">0</parameter>
  <parameter name="max.delivery.attempts">0</parameter>
</messageProcessor>`,
    'artifacts/api/In.xml': `<api ${synapse} name="In" context="/in">
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
