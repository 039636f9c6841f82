import { bodySourceOf, type HeaderList } from '#message';
import type { RequestHandler, ResponseHead } from '#transport';

export interface TestAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly text: string;
  json(): Record<string, unknown>;
}

export interface TestCall {
  readonly method?: string;
  readonly headers?: HeaderList;
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Address of the caller; that of this machine when absent. */
  readonly peer?: string;
}

/** Calls a handler as a listener would, without sockets. */
export function createTestCall(handler: RequestHandler): (target: string, call?: TestCall) => Promise<TestAnswer> {
  return (target, { method = 'GET', headers = [], form, body, peer = '127.0.0.1' } = {}) =>
    new Promise((resolve) => {
      const text = form ? new URLSearchParams(form).toString() : body;
      const sent = form ? [...headers, 'Content-Type', 'application/x-www-form-urlencoded'] : headers;
      handler(
        {
          method: text === undefined ? method : method === 'GET' ? 'POST' : method,
          target,
          headers: sent,
          body: text === undefined ? null : bodySourceOf(Buffer.from(text)),
          peer: { address: peer, port: 1 },
          scheme: 'https',
          localPort: 9443,
          version: '1.1',
        },
        {
          finished: false,
          onGone: () => {},
          respond(head: ResponseHead, answer) {
            const bytes = answer instanceof Uint8Array ? answer : Buffer.alloc(0);
            const answered = Buffer.from(bytes).toString('utf8');
            resolve({
              status: head.status,
              headers: head.headers,
              text: answered,
              json: () => JSON.parse(answered) as Record<string, unknown>,
            });
          },
        },
      );
    });
}
