import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import { readSettings } from '#server';
import type { EffectRow } from './effect-row.ts';
import { ask, inServer, ports } from './effect-server.ts';

const schemes = ['http', 'https'] as const;
type Scheme = (typeof schemes)[number];

const path = '/oauth2/token';
const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n`;

/** What comes back on a connection to the server's port on which these pieces are written, 300 ms between them. */
function talk(text: string, scheme: Scheme, pieces: readonly string[]): Promise<string> {
  return inServer(text, {}, async (server) => {
    const port = Number(new URL(server.url(scheme === 'https' ? 'Server HTTPS' : 'Server HTTP')).port);
    const plain = { port, host: '127.0.0.1' };
    const socket: Socket = scheme === 'https' ? connectTls({ ...plain, rejectUnauthorized: false }) : connect(plain);
    let received = '';
    let isClosed = false;
    socket.on('error', () => undefined);
    socket.on('close', () => (isClosed = true));
    socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
    for (const piece of pieces) {
      if (!isClosed) socket.write(piece);
      await pause(300);
    }
    await pause(1_200);
    socket.destroy();
    return `${received.slice(0, 12)} ${isClosed ? 'closed' : 'open'}`;
  });
}

function rowsOf(scheme: Scheme): EffectRow[] {
  const section = `transport.${scheme}.properties`;
  const name = scheme === 'https' ? 'Server HTTPS' : 'Server HTTP';
  const settings = scheme === 'https' ? 'serverHttps' : 'serverHttp';
  return [
    {
      key: `${section}.port`,
      first: 9700,
      second: 9701,
      observe: (config) => readSettings(config, 0, true)[settings].port,
    },
    {
      key: `${section}.maxHttpHeaderSize`,
      given: ports,
      first: 2_000,
      second: 8_192,
      observe: (_, text) =>
        inServer(text, {}, async (server) => {
          const answer = await ask(server.url(name) + path, { headers: { 'X-Large': 'a'.repeat(4_000) } });
          return typeof answer === 'string' ? answer : answer.status;
        }),
    },
    {
      key: `${section}.server`,
      given: ports,
      first: 'One',
      second: 'Two',
      observe: (_, text) =>
        inServer(text, {}, async (server) => {
          const answer = await ask(server.url(name) + path);
          return typeof answer === 'string' ? answer : answer.headers.server;
        }),
    },
    {
      key: `${section}.keepAliveTimeout`,
      given: ports,
      first: 300,
      second: 60_000,
      observe: (_, text) => talk(text, scheme, [`${head}Content-Length: 0\r\n\r\n`]),
    },
    {
      key: `${section}.connectionUploadTimeout`,
      given: ports,
      first: 400,
      second: 60_000,
      observe: (_, text) => talk(text, scheme, [`${head}Content-Length: 9\r\n\r\n`, 'a', 'b', 'c']),
    },
    {
      key: `${section}.disableUploadTimeout`,
      given: ports.replace(`[${section}]\n`, `[${section}]\nconnectionUploadTimeout = 400\n`),
      first: true,
      second: false,
      observe: (_, text) => talk(text, scheme, [`${head}Content-Length: 9\r\n\r\n`, 'a', 'b', 'c']),
    },
  ];
}

/** The ports of the server: OAuth, administrative APIs, portals. */
export const rows: readonly EffectRow[] = schemes.flatMap(rowsOf);
