import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { WebSocket, WebSocketServer } from 'ws';

/** A back end that speaks WebSocket. */
export interface SocketBackEnd extends AsyncDisposable {
  /** `ws://…` or `wss://…`, without a path. */
  readonly url: string;
  /** The handshakes in their order. */
  readonly handshakes: { readonly target: string; readonly headers: IncomingHttpHeaders }[];
  /** Closes that came: code and reason. */
  readonly closes: string[];
  readonly server: WebSocketServer;
}

export interface SocketBackEndOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
  /** What it does with a connection; it sends back what it gets when absent. */
  readonly serve?: (socket: WebSocket) => void;
  /** Answers a handshake with this status instead. */
  readonly refuses?: { readonly status: number; readonly body: string };
  readonly protocol?: string;
}

/** Opens a back end on a free port. */
export async function startSocketBackEnd(options: SocketBackEndOptions = {}): Promise<SocketBackEnd> {
  const { tls, refuses, protocol, serve = echo } = options;
  const http = tls ? createTlsServer(tls) : createHttpServer();
  const server = new WebSocketServer({ noServer: true, handleProtocols: () => protocol ?? false });
  const handshakes: SocketBackEnd['handshakes'] = [];
  const closes: string[] = [];
  http.on('upgrade', (request, socket, head) => {
    handshakes.push({ target: request.url ?? '', headers: request.headers });
    socket.on('error', () => undefined);
    if (refuses) {
      const { status, body } = refuses;
      socket.end(`HTTP/1.1 ${status} No\r\nX-Why: because\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
      return;
    }
    server.handleUpgrade(request, socket, head, (accepted) => {
      accepted.on('close', (code, reason) => closes.push(`${code} ${reason.toString()}`));
      accepted.on('error', () => undefined);
      serve(accepted);
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const host = tls ? 'localhost' : '127.0.0.1';
  return {
    url: `${tls ? 'wss' : 'ws'}://${host}:${(http.address() as AddressInfo).port}`,
    handshakes,
    closes,
    server,
    async [Symbol.asyncDispose]() {
      for (const client of server.clients) client.terminate();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function echo(socket: WebSocket): void {
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
}

/** A client and what it hears. */
export interface SocketClient {
  readonly socket: WebSocket;
  /** The next message: `text …` or `binary …`, or how the connection ended. */
  readonly next: () => Promise<string>;
}

export interface SocketClientOptions {
  readonly protocols?: string[];
  readonly headers?: Record<string, string>;
  readonly origin?: string;
  /** The certificate that the client shows. */
  readonly cert?: string;
  readonly key?: string;
}

/** Opens a client; rejects with the status where the handshake is refused. */
export async function openSocketClient(
  url: string,
  { protocols = [], ...options }: SocketClientOptions = {},
): Promise<SocketClient> {
  const socket = new WebSocket(url, protocols, { rejectUnauthorized: false, ...options });
  const heard: string[] = [];
  const waiting: ((text: string) => void)[] = [];
  const hear = (text: string): void => {
    const taker = waiting.shift();
    if (taker) taker(text);
    else heard.push(text);
  };
  socket.on('message', (data: Buffer, isBinary) => hear(`${isBinary ? 'binary' : 'text'} ${data.toString('latin1')}`));
  socket.on('close', (code, reason) => hear(`closed ${code} ${reason.toString()}`.trim()));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.on('error', reject);
    socket.once('unexpected-response', (request, response) => {
      reject(new Error(`${response.statusCode} ${String(response.headers['x-why'] ?? '')}`.trim()));
      request.destroy();
    });
  });
  return {
    socket,
    next() {
      const text = heard.shift();
      return text === undefined ? new Promise((resolve) => void waiting.push(resolve)) : Promise.resolve(text);
    },
  };
}
