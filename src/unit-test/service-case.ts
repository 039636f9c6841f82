import { getHeader, readBody, setHeader, bodySourceOf, type HeaderList } from '#message';
import type { HttpRequest, HttpResponder, RequestHandler } from '#transport';
import type { ActualValue } from './actual.ts';
import { wrongActual, type Outcome } from './outcome.ts';
import { typeOf } from './payload-type.ts';
import type { TestCase } from './suite.ts';

/** Most bytes of an answer that assertions look at. */
const largestAnswer = 64 * 1024 * 1024;

/** What a service answered. */
interface Answer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
}

/** Sends the request of a test case to the API or proxy service at `address`, in process, and waits for its answer. */
export async function runServiceCase(
  dispatch: RequestHandler,
  address: { readonly path: string; readonly method: string },
  test: TestCase,
): Promise<Outcome> {
  const answer = await ask(dispatch, requestOf(address, test));
  return { valueOf: (actual) => valueIn(answer, actual) };
}

function requestOf(address: { readonly path: string; readonly method: string }, test: TestCase): HttpRequest {
  const { payload, scheme, path } = test;
  const port = scheme === 'http' ? 8280 : 8243;
  const headers = ['Host', `localhost:${port}`];
  for (const { name, value, scope } of test.properties) if (scope === 'transport') setHeader(headers, name, value);
  if (payload !== undefined && getHeader(headers, 'Content-Type') === undefined) {
    setHeader(headers, 'Content-Type', typeOf(payload));
  }
  const below = path === '' || /^[/?]/.test(path) ? path : `/${path}`;
  return {
    method: test.method ?? address.method,
    target: `${address.path}${below}`.replace(/^(?!\/)/, '/'),
    headers,
    body: payload === undefined ? null : bodySourceOf(Buffer.from(payload)),
    peer: { address: '127.0.0.1', port: 49_152 },
    scheme,
    localPort: port,
    version: '1.1',
  };
}

function ask(dispatch: RequestHandler, request: HttpRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let finished = false;
    const responder: HttpResponder = {
      get finished() {
        return finished;
      },
      respond({ status, headers }, body) {
        finished = true;
        const answer = (bytes: Uint8Array): Answer => ({ status, headers, body: Buffer.from(bytes).toString('utf8') });
        if (body === null || body instanceof Uint8Array) resolve(answer(body ?? new Uint8Array()));
        else readBody(body, largestAnswer).then((bytes) => resolve(answer(bytes)), reject);
      },
      onGone: () => undefined,
    };
    dispatch(request, responder);
  });
}

function valueIn({ status, headers, body }: Answer, actual: ActualValue): string | undefined {
  switch (actual.kind) {
    case 'body':
      return body === '' ? undefined : body;
    case 'status':
      return String(status);
    case 'version':
      return 'HTTP/1.1';
    case 'property':
      if (actual.scope === 'transport') return getHeader(headers, actual.name);
      throw wrongActual(actual, 'an answer');
    case 'expression':
      throw wrongActual(actual, 'an answer');
  }
}
