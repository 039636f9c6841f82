import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface ProviderCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface SmsProvider extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly calls: readonly ProviderCall[];
  /** Answers instead of status 202; the call is recorded before. */
  answer: ((response: ServerResponse, call: ProviderCall, count: number) => void) | undefined;
}

/** Starts an API of a provider that records what it is asked. */
export async function startSmsProvider(): Promise<SmsProvider> {
  const calls: ProviderCall[] = [];
  const state: { answer: SmsProvider['answer'] } = { answer: undefined };
  const server = createServer((request, response) => {
    const record = async (): Promise<void> => {
      const body = await text(request);
      const call = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
      calls.push(call);
      if (state.answer) state.answer(response, call, calls.length);
      else response.writeHead(202, { 'Content-Type': 'application/json' }).end('{"accepted": true}');
    };
    // A client that goes away takes its request with it.
    record().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/messages`,
    port,
    calls,
    get answer() {
      return state.answer;
    },
    set answer(value) {
      state.answer = value;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
