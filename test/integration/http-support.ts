import { connect } from 'node:net';
import { readBody } from '#message';
import {
  createHttpSender,
  startHttpListener,
  type BodySource,
  type HeaderList,
  type HttpListener,
  type HttpListenerOptions,
  type HttpSender,
  type IncomingResponse,
  type OutgoingRequest,
  type RequestHandler,
} from '#transport';

export const unlimited = Number.MAX_SAFE_INTEGER;

/** A listener on a free loopback port. */
export function listen(handler: RequestHandler, options: Partial<HttpListenerOptions> = {}): Promise<HttpListener> {
  return startHttpListener({ host: '127.0.0.1', port: 0, ...options }, handler);
}

export function originOf({ scheme, port }: HttpListener, host = '127.0.0.1'): string {
  return `${scheme}://${host}:${port}`;
}

/** Answers with the method and target as fields and the body as it came. */
export const echo: RequestHandler = (request, responder) => {
  const headers = ['X-Method', request.method, 'X-Target', request.target];
  responder.respond({ status: 200, headers: [...headers, ...request.headers] }, request.body);
};

/** Passes every request on to an origin, and its answer back. */
export function passThrough(sender: HttpSender, origin: () => string): RequestHandler {
  return ({ method, target, headers, body }, responder) => {
    sender.send(
      { origin: origin(), method, target, headers, body },
      {
        onResponse: (response) => responder.respond(response, response.body),
        onError: () => responder.respond({ status: 502, headers: [] }, null),
      },
    );
  };
}

export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly headers: HeaderList;
  readonly body: Uint8Array;
}

/** Sends one request; the answer when it came completely, a rejection otherwise. */
export async function exchange(
  sender: HttpSender,
  request: Partial<OutgoingRequest> & { origin: string },
): Promise<Answer> {
  const { status, reason, headers, body } = await respondedTo(sender, request);
  return { status, reason, headers, body: body ? await readBody(body, unlimited) : new Uint8Array() };
}

/** Sends one request; resolves when the response head is there. */
export function respondedTo(
  sender: HttpSender,
  request: Partial<OutgoingRequest> & { origin: string },
): Promise<IncomingResponse> {
  return new Promise((resolve, reject) => {
    const whole = { method: 'GET', target: '/', headers: [], body: null, ...request };
    sender.send(whole, { onResponse: resolve, onError: reject });
  });
}

/** Runs `use` with a listener and a sender, and closes both. */
export async function withServer(
  handler: RequestHandler,
  use: (sender: HttpSender, listener: HttpListener) => Promise<void>,
): Promise<void> {
  await using listener = await listen(handler);
  await using sender = createHttpSender();
  await use(sender, listener);
}

/** Writes raw bytes to a port and reads until the connection closes or `until` is seen. */
export async function rawExchange(port: number, text: string | Uint8Array, until?: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    if (until !== undefined && received.includes(until)) socket.destroy();
  });
  socket.on('error', () => socket.destroy());
  const closed = new Promise((resolve) => {
    socket.once('close', resolve);
  });
  socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text);
  await closed;
  return received;
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0);
}

/** A body of `chunks` times the same chunk, made while it is read; counts what was taken. */
export function generatedBody(
  chunk: Uint8Array,
  chunks: number,
  length?: number,
): BodySource & { readonly taken: number } {
  let left = chunks;
  let taken = 0;
  let flow = (): void => undefined;
  return {
    length,
    get taken() {
      return taken;
    },
    pipe(sink) {
      flow = () => {
        while (left > 0) {
          left--;
          taken += chunk.length;
          if (!sink.write(chunk)) return;
        }
        if (left === 0) {
          left = -1;
          sink.end();
        }
      };
      flow();
    },
    resume: () => flow(),
    cancel: () => {
      left = -1;
    },
  };
}
