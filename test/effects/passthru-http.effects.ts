import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { TemporaryServer } from '../helpers/temporary-server.ts';
import type { EffectRow } from './effect-row.ts';
import { rawAnswer, startSilentPort } from './effect-socket.ts';
import {
  apiOf,
  ask,
  askApi,
  inServer,
  loggedIn,
  outcome,
  ports,
  proxyTo,
  showing,
  startBackEnd,
  type BackEnd,
} from './effect-server.ts';
import { comesTrue } from './patience.ts';

const api = (server: { url(name: 'API HTTP'): string }): string => `${server.url('API HTTP')}/t`;
const large = Buffer.alloc(200_000, 'x');

/** What the client of a back end that answers after so many milliseconds gets. */
async function answerAfter(text: string, milliseconds: number): Promise<string> {
  await using backEnd = await startBackEnd((_, response) => {
    void pause(milliseconds).then(() => response.end('late'));
  });
  return await askApi(text, proxyTo(backEnd.url));
}

/** The outcomes of requests that are all sent at the same time to a back end that takes its time. */
async function together(
  text: string,
  count: number,
): Promise<{ outcomes: string[]; connections: BackEnd['connections'] }> {
  await using backEnd = await startBackEnd((_, response) => {
    void pause(150).then(() => response.end('done'));
  });
  const outcomes = await inServer(text, proxyTo(backEnd.url), (server) =>
    Promise.all(Array.from({ length: count }, () => outcome(api(server)))),
  );
  return { outcomes: outcomes.sort(), connections: backEnd.connections };
}

/** Connections that a back end sees for two requests with a pause between them. */
async function connectionsFor(text: string, between: number): Promise<number> {
  await using backEnd = await startBackEnd((_, response) => response.end('done'));
  await inServer(text, proxyTo(backEnd.url), async (server) => {
    await outcome(api(server));
    await pause(between);
    await outcome(api(server));
  });
  return backEnd.connections.total;
}

/** A header of a request as the back end gets it. */
async function requestHeader(text: string, name: string, headers: Record<string, string>): Promise<unknown> {
  let seen: unknown;
  await using backEnd = await startBackEnd((request, response) => {
    seen = request.headers[name];
    response.end();
  });
  await askApi(text, proxyTo(backEnd.url), { headers });
  return seen;
}

/** A header of the answer to a client, when the back end's has these. */
async function responseHeader(text: string, name: string, given: Record<string, string>): Promise<unknown> {
  await using backEnd = await startBackEnd((_, response) => {
    response.sendDate = false;
    response.writeHead(200, given).end('done');
  });
  return await inServer(text, proxyTo(backEnd.url), async (server) => {
    const answer = await ask(api(server), { headers: { 'X-Trace': 'abc' } });
    return typeof answer === 'string' ? answer : answer.headers[name];
  });
}

/**
 * What happens to a request beside one that waits for its body, and so keeps a worker.
 *
 * @param isAnswered whether it must be, with this value
 */
function besideBusyWorker(text: string, isAnswered: boolean): Promise<string> {
  return inServer(text, reading, async (server) => {
    const slow = await startSlowRequest(server);
    let answer = 'waits';
    const asked = outcome(api(server), { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'x' });
    const done = asked.then((text) => (answer = text));
    await comesTrue(() => answer !== 'waits', isAnswered, 400);
    const seen = answer;
    slow.end('1234567890');
    await done;
    return seen;
  });
}

/** A request whose flow waits for the body. */
async function startSlowRequest(server: TemporaryServer): Promise<Socket> {
  const slow = connect(Number(new URL(api(server)).port), '127.0.0.1').on('error', () => undefined);
  slow.write(slowHead);
  const metrics = `${server.url('Probes and metrics')}/metric-service/metrics`;
  await comesTrue(async () => /^millrace_messages_in_flight 1$/m.test(await outcome(metrics)));
  return slow;
}

const slowHead = 'POST /t HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n';
const reading = apiOf(
  '<payloadFactory media-type="text"><format>$1</format><args><arg expression="//text()"/></args></payloadFactory><respond/>',
);

/** Whether a back end gets rid of a large answer although the client does not read it. */
async function isTakenFromBackEnd(text: string): Promise<boolean> {
  let isTaken = false;
  await using backEnd = await startBackEnd((_, response) => {
    response.end(Buffer.alloc(48 * 1024 * 1024)).on('finish', () => (isTaken = true));
  });
  await inServer(text, proxyTo(backEnd.url), async (server) => {
    const client = connect(Number(new URL(api(server)).port), '127.0.0.1');
    client.pause().write('GET /t HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await comesTrue(() => isTaken, text.includes('134217728'), 800);
    client.destroy();
  });
  return isTaken;
}

/** What a body gets of which the flow answers without looking at it. */
function withBody(text: string, type: string, body: string | Uint8Array): Promise<string> {
  return askApi(text, showing("get-property('axis2', 'RAW_PAYLOAD')"), {
    method: 'POST',
    headers: { 'Content-Type': type },
    body,
  });
}

const pools = `${ports}[passthru_http]\n`;

export const rows: readonly EffectRow[] = [
  {
    key: 'passthru_http.http.socket.timeout',
    first: 300,
    second: 60_000,
    given: ports,
    observe: (_, text) => answerAfter(text, 800),
  },
  {
    key: 'passthru_http.transport.sender.connection.grace.time',
    first: 0,
    second: 14_700,
    given: `${pools}'http.socket.timeout' = 15000\n`,
    observe: (_, text) => answerAfter(text, 2500),
  },
  {
    key: 'passthru_http.http.connection.timeout',
    first: 100,
    second: 60_000,
    given: ports,
    async observe(_, text) {
      // It accepts the connection and closes it later, without ever speaking TLS.
      await using silent = await startSilentPort(3500);
      return await askApi(text, proxyTo(`https://127.0.0.1:${silent.port}`));
    },
  },
  {
    key: 'passthru_http.http.max.connection.per.host.port',
    first: 1,
    second: 5,
    given: ports,
    observe: async (_, text) => (await together(text, 4)).connections.most,
  },
  {
    key: 'passthru_http.http.max.messages.per.host.port',
    first: 0,
    second: 10,
    given: `${pools}'http.max.connection.per.host.port' = 1\n`,
    observe: async (_, text) => (await together(text, 4)).outcomes,
  },
  {
    key: 'passthru_http.http.user.agent.preserve',
    first: false,
    second: true,
    given: ports,
    observe: (_, text) => requestHeader(text, 'user-agent', { 'User-Agent': 'probe/1' }),
  },
  {
    key: 'passthru_http.http.headers.preserve',
    first: 'Content-Type',
    second: 'Content-Type,Date',
    given: ports,
    observe: (_, text) => requestHeader(text, 'date', { Date: 'Thu, 01 Jan 2026 00:00:00 GMT' }),
  },
  {
    key: 'passthru_http.http.server.preserve',
    first: false,
    second: true,
    given: ports,
    observe: (_, text) => responseHeader(text, 'server', { Server: 'probe/1' }),
  },
  {
    key: 'passthru_http.http.response.headers.preserve',
    first: 'Content-Type',
    second: 'Keep-Alive,User-Agent',
    given: ports,
    observe: (_, text) => responseHeader(text, 'user-agent', { 'User-Agent': 'probe/1' }),
  },
  {
    key: 'passthru_http.correlation_header_name',
    first: 'activityid',
    second: 'X-Trace',
    given: ports,
    observe: (_, text) => responseHeader(text, 'x-trace', {}),
  },
  {
    key: 'passthru_http.http.connection.disable.keepalive',
    first: false,
    second: true,
    given: ports,
    observe: (_, text) => connectionsFor(text, 0),
  },
  {
    key: 'passthru_http.transport.sender.connection.idle.time',
    first: 60_000,
    second: 300,
    given: ports,
    observe: (_, text) => connectionsFor(text, 1500),
  },
  {
    key: 'passthru_http.transport.sender.connection.maximum.lifespan',
    first: 60_000,
    second: 20,
    given: ports,
    observe: (_, text) => connectionsFor(text, 100),
  },
  {
    key: 'passthru_http.max_open_connections',
    first: -1,
    second: 1,
    given: ports,
    observe: (_, text) =>
      inServer(text, showing("'x'"), async (server) => {
        const held = connect(Number(new URL(api(server)).port), '127.0.0.1');
        await new Promise((resolve) => held.once('connect', resolve));
        const answer = await outcome(api(server));
        held.destroy();
        return answer;
      }),
  },
  {
    key: 'passthru_http.message.size.validation.enabled',
    first: false,
    second: true,
    given: `${pools}'valid.max.message.size.in.bytes' = 10\n`,
    observe: (_, text) => withBody(text, 'text/plain', 'more than ten bytes'),
  },
  {
    key: 'passthru_http.valid.max.message.size.in.bytes',
    first: 10,
    second: 1000,
    given: `${pools}'message.size.validation.enabled' = true\n`,
    async observe(_, text) {
      await using backEnd = await startBackEnd((_request, response) => response.end('more than ten bytes'));
      return [await withBody(text, 'text/plain', 'more than ten bytes'), await askApi(text, proxyTo(backEnd.url))];
    },
  },
  {
    key: 'passthru_http.force.xml.message.validation',
    first: false,
    second: true,
    given: ports,
    observe: (_, text) => withBody(text, 'application/xml', '<a>'),
  },
  {
    key: 'passthru_http.force.json.message.validation',
    first: false,
    second: true,
    given: ports,
    observe: (_, text) => withBody(text, 'application/json', '{"a":'),
  },
  {
    key: 'passthru_http.worker_pool_size_core',
    first: 1,
    second: 5,
    given: ports,
    observe: (_, text) => besideBusyWorker(text, text.includes('"worker_pool_size_core" = 5')),
  },
  {
    key: 'passthru_http.worker_pool_size_max',
    first: 1,
    second: 5,
    given: `${pools}worker_pool_size_core = 1\nworker_pool_queue_length = 0\n`,
    observe: (_, text) => besideBusyWorker(text, true),
  },
  {
    key: 'passthru_http.worker_pool_queue_length',
    first: -1,
    second: 0,
    given: `${pools}worker_pool_size_core = 1\nworker_pool_size_max = 1\n`,
    observe: (_, text) => besideBusyWorker(text, text.includes('"worker_pool_queue_length" = 0')),
  },
  {
    key: 'passthru_http.expected_max_queueing_time',
    first: 10,
    second: 60_000,
    given: `${pools}worker_pool_size_core = 1\n`,
    alone: true,
    observe: (_, text) =>
      loggedIn(text, reading, async (server) => {
        const slow = await startSlowRequest(server);
        const waiting = outcome(api(server));
        await pause(1000);
        slow.end('1234567890');
        await waiting;
      }),
  },
  {
    key: 'passthru_http.consume_and_discard',
    first: true,
    second: false,
    given: ports,
    observe: (_, text) =>
      inServer(text, showing("'x'"), async (server) => {
        const head = `POST /t HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${large.length}\r\n\r\n`;
        const answer = await rawAnswer(api(server), Buffer.concat([Buffer.from(head), large]));
        return /connection: close/i.test(answer);
      }),
  },
  {
    key: 'passthru_http.io_buffer_size',
    first: 1024,
    second: 134_217_728,
    given: ports,
    observe: (_, text) => isTakenFromBackEnd(text),
  },
  {
    key: 'passthru_http.http.block_service_list',
    first: true,
    second: false,
    given: ports,
    observe: (_, text) => inServer(text, {}, (server) => outcome(`${server.url('API HTTP')}/services/`)),
  },
];
