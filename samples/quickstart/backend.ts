import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';

/** The port that the endpoints of this project name. */
const defaultPort = 9700;

const orders: ReadonlyMap<string, object> = new Map(
  [
    { id: '1001', customer: 'Ada', state: 'shipped', lines: [{ item: 'bearing', count: 12, price: 4.5 }] },
    { id: '1002', customer: 'Blaise', state: 'open', lines: [{ item: 'sluice gate', count: 1, price: 310.0 }] },
  ].map((order) => [order.id, order]),
);

const words: ReadonlyMap<string, object> = new Map(
  [
    {
      word: 'millrace',
      senses: [
        { kind: 'noun', text: 'the channel that carries water to a mill wheel' },
        { kind: 'noun', text: 'the current that drives the wheel' },
      ],
    },
    { word: 'weir', senses: [{ kind: 'noun', text: 'a low dam that raises the water upstream' }] },
  ].map((entry) => [entry.word, entry]),
);

/** A back end that answers until it is closed. */
export interface Backend {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts the back end of this project on a loopback port; 0 takes a free one. It answers `GET /orders/{id}` and
 * `GET /letters/{letter}/words/{word}` with JSON, and everything else with 404.
 *
 * @throws Error with code `EADDRINUSE` when the port is taken
 */
export async function startBackend(port: number): Promise<Backend> {
  const server = createServer((request, response) => {
    const found = request.method === 'GET' ? find(request) : undefined;
    const body = JSON.stringify(found ?? { error: 'not found', path: request.url });
    response.writeHead(found ? 200 : 404, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** The port on which the back end of this project starts: `QUICKSTART_BACKEND_PORT`, or the one that the endpoints name. */
export function backendPort(): number {
  return Number(process.env['QUICKSTART_BACKEND_PORT'] ?? defaultPort);
}

function find(request: IncomingMessage): object | undefined {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname.split('/').slice(1);
  const [first, second, third, fourth] = path;
  if (first === 'orders' && path.length === 2) return orders.get(second ?? '');
  if (first === 'letters' && third === 'words' && path.length === 4 && fourth?.startsWith(second ?? '?')) {
    return words.get(fourth);
  }
  return undefined;
}

if (import.meta.main) {
  const backend = await startBackend(backendPort());
  console.log(`back end of the quickstart on http://127.0.0.1:${backend.port}`);
}
