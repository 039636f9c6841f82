import { bodySourceOf, readBody } from '#message';
import { protocolStates, synapseCodes } from '#errors';
import { TransportError, type HttpSender, type OutgoingRequest, type ResponseHandler } from '#transport';
import { parseHttp } from './case-file.ts';
import { wireBytes, wireText } from './wire-body.ts';

/** What a back end of a case does with the requests of one method and URL. */
export interface BackEndScript {
  /** Method and absolute URL, such as `GET http://back/orders/1`; `*` for any. */
  readonly match: string;
  /** An HTTP answer, one of `refuse`, `reset`, `timeout`, `silence`, or what makes an answer of a request. */
  readonly text: string | ((request: RecordedRequest) => string);
}

export interface RecordedRequest {
  readonly line: string;
  readonly headers: readonly string[];
  readonly body: string;
}

/** A sender whose back ends follow scripts; scripts of the same match answer one after the other, the last one on. */
export function createFakeSender(scripts: readonly BackEndScript[]): {
  sender: HttpSender;
  requests: RecordedRequest[];
} {
  const requests: RecordedRequest[] = [];
  const used = new Map<string, number>();

  const scriptFor = (line: string): BackEndScript | undefined => {
    const fitting = scripts.filter(({ match }) => match === line || match === '*');
    const count = used.get(line) ?? 0;
    used.set(line, count + 1);
    return fitting[Math.min(count, fitting.length - 1)];
  };

  const answer = async (request: OutgoingRequest, handler: ResponseHandler): Promise<void> => {
    const { body } = request;
    const bytes = body === null ? new Uint8Array() : body instanceof Uint8Array ? body : await readBody(body, 1e9);
    const line = `${request.method} ${request.origin}${request.target}`;
    const recorded = { line, headers: request.headers, body: wireText(request.headers, bytes) };
    requests.push(recorded);
    const script = scriptFor(line);
    if (!script) {
      handler.onError(failure(synapseCodes.connectionFailed, protocolStates.requestReady, `no back end for ${line}`));
      return;
    }
    const text = typeof script.text === 'string' ? script.text : script.text(recorded);
    const failed = failures[text.trim()];
    if (failed) handler.onError(failed());
    else if (text.trim() !== 'silence') handler.onResponse(responseOf(text));
  };

  return {
    requests,
    sender: {
      send(request, handler) {
        void answer(request, handler);
        return { abort: () => undefined };
      },
      async [Symbol.asyncDispose]() {
        // Nothing is open.
      },
    },
  };
}

function responseOf(text: string): Parameters<ResponseHandler['onResponse']>[0] {
  const { first, headers, body } = parseHttp(text);
  const match = /^(\d{3})\s*(.*)$/.exec(first);
  if (!match) throw new Error(`expected a status line in a back end of a case, found "${first}"`);
  const bytes = wireBytes(headers, body);
  return {
    status: Number(match[1]),
    reason: match[2] ?? '',
    headers,
    body: body === '' ? null : bodySourceOf(bytes),
  };
}

const failures: Readonly<Record<string, () => TransportError>> = {
  refuse: () => failure(synapseCodes.connectionFailed, protocolStates.requestReady, 'connection refused'),
  reset: () => failure(synapseCodes.connectionClosed, protocolStates.requestDone, 'connection reset'),
  timeout: () => failure(synapseCodes.connectionTimedOut, protocolStates.requestDone, 'no answer'),
};

function failure(
  baseCode: number,
  state: (typeof protocolStates)['requestReady' | 'requestDone'],
  message: string,
): TransportError {
  return new TransportError({ baseCode, state, message });
}
