import { protocolStates, synapseCodes, toError } from '#errors';
import { getAllHeaders, readBody, removeHeader, setHeader } from '#message';
import {
  TransportError,
  type Exchange,
  type IncomingResponse,
  type NtlmCredentials,
  type OutgoingRequest,
  type ResponseHandler,
} from '../contract.ts';
import { ClientExchange } from './client-exchange.ts';
import { authenticateMessage, negotiateMessage, readChallenge } from './ntlm-messages.ts';
import { Origin } from './origin.ts';
import type { HttpSenderOptions } from './sender-options.ts';

/** Most bytes of a request body that can be sent twice, and of a refusal that is read to its end. */
const mostBytes = 64 * 1024 * 1024;

/**
 * Sends a request on a connection of its own, on which it proves who sends it when the far end asks for NTLM: the
 * request as it is, then an empty one that asks for a challenge, then the request with the proof.
 */
export function sendWithNtlm(
  request: OutgoingRequest,
  handler: ResponseHandler,
  options: Required<HttpSenderOptions>,
): Exchange {
  // The proof holds for one connection only, so nobody else may use it.
  const origin = new Origin(request.origin, { ...options, connectionsPerOrigin: 1, keepAlive: true });
  let current: Exchange | undefined;
  let isAborted = false;

  const send = (each: OutgoingRequest): Promise<IncomingResponse> =>
    new Promise((resolve, reject) => {
      const exchange = new ClientExchange(origin, each, { onResponse: resolve, onError: reject });
      current = exchange;
      exchange.start();
      if (isAborted) exchange.abort();
    });

  const run = async (credentials: NtlmCredentials): Promise<IncomingResponse> => {
    const { body } = request;
    const bytes = body === null || body instanceof Uint8Array ? body : await readBody(body, mostBytes);
    const whole: OutgoingRequest = { ...request, body: bytes, close: false };
    const first = await send(whole);
    if (first.status !== 401 || challengeIn(first) === undefined) return first;
    await drain(first);
    const empty = bytes === null ? null : new Uint8Array();
    const second = await send(authorized({ ...whole, body: empty }, negotiateMessage()));
    const challenge = challengeIn(second);
    if (second.status !== 401 || !challenge) return second;
    await drain(second);
    return send(authorized(whole, authenticateMessage(credentials, readChallenge(Buffer.from(challenge, 'base64')))));
  };

  run(request.ntlm as NtlmCredentials)
    .then(
      (response) => handler.onResponse(response),
      (error: unknown) => handler.onError(asTransportError(error, request.origin)),
    )
    .finally(() => origin.close());
  return {
    abort() {
      isAborted = true;
      current?.abort();
    },
  };
}

/** The challenge, empty where the far end only says that it speaks NTLM; undefined where it does not. */
function challengeIn({ headers }: IncomingResponse): string | undefined {
  for (const value of getAllHeaders(headers, 'WWW-Authenticate')) {
    const match = /^NTLM(?:\s+([A-Za-z0-9+/=]+))?\s*$/i.exec(value.trim());
    if (match) return match[1] ?? '';
  }
  return undefined;
}

function authorized(request: OutgoingRequest, message: Buffer): OutgoingRequest {
  const headers = [...request.headers];
  removeHeader(headers, 'Expect');
  setHeader(headers, 'Authorization', `NTLM ${message.toString('base64')}`);
  return { ...request, headers };
}

/** The connection can be used again only after the whole refusal was read. */
async function drain({ body }: IncomingResponse): Promise<void> {
  if (body) await readBody(body, mostBytes);
}

function asTransportError(error: unknown, origin: string): TransportError {
  if (error instanceof TransportError) return error;
  const cause = toError(error);
  return new TransportError({
    baseCode: synapseCodes.senderIoSending,
    state: protocolStates.responseDone,
    message: 'Error in Sender',
    detail: `${origin}: ${cause.message}`,
    cause,
  });
}
