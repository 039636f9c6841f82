import { getLogger } from '#core';
import { MillraceError, messageOf } from '#errors';
import { libraryOf, type CompileContext } from '#mediation';
import { Payload, readBody, type Message } from '#message';
import type { IncomingResponse } from '#transport';
import type { ProxyDefinition } from './artifact.ts';
import type { RemoteDescription } from './load-description.ts';
import type { ServiceDescription } from './wsdl/description.ts';

const log = getLogger('proxy');

/** Milliseconds after a failure in which the other server is not asked again, and in which it must answer. */
const pause = 10_000;
const timeLimit = 20_000;

/**
 * Fetches a WSDL from another server when it is needed for the first time, and keeps it: a server that is down does
 * not keep the runtime from starting.
 */
export function fetchDescription(
  remote: RemoteDescription,
  definition: ProxyDefinition,
  context: CompileContext,
): (message: Message) => ServiceDescription | Promise<ServiceDescription> {
  const { clock } = context.services;
  let known: ServiceDescription | undefined;
  let pending: Promise<ServiceDescription> | undefined;
  let failure: { readonly error: MillraceError; readonly until: number } | undefined;

  const fetch = async (message: Message): Promise<ServiceDescription> => {
    const { uri, endpoint } = definition.publishWsdl ?? {};
    try {
      const text = uri === undefined ? askEndpoint(endpoint ?? '', message, context) : fetchText(uri, context);
      known = remote.read(await text);
      return known;
    } catch (cause) {
      const error = new MillraceError({
        code: 'MR_PROXY_WSDL_FETCH',
        message: `The WSDL of the proxy service ${definition.name} cannot be fetched`,
        detail: `${remote.source}: ${messageOf(cause)}`,
        cause,
      });
      log.warn({ proxy: definition.name, source: remote.source, err: cause }, 'the WSDL cannot be fetched');
      failure = { error, until: clock.monotonic() + pause };
      throw error;
    } finally {
      pending = undefined;
    }
  };

  return (message) => {
    if (known) return known;
    if (failure && clock.monotonic() < failure.until) throw failure.error;
    pending ??= fetch(message);
    return pending;
  };
}

/** Asks the service behind an endpoint for its own `?wsdl`, beside the message that needs it. */
async function askEndpoint(name: string, message: Message, { services }: CompileContext): Promise<string> {
  const endpoint = libraryOf(message).endpoint(name);
  if (!endpoint) throw new Error(`there is no endpoint "${name}"`);
  const question = message.clone(new Payload());
  question.headers = ['Accept', 'text/xml, application/xml'];
  question.axis2 = new Map<string, unknown>([
    ['HTTP_METHOD', 'GET'],
    ['REST_URL_POSTFIX', '?wsdl'],
    ['NO_ENTITY_BODY', true],
  ]);
  await endpoint.send(question, { blocking: false });
  const status = Number(question.axis2.get('HTTP_SC'));
  await question.payload.load(services.settings.maxBodyBytes);
  if (status !== 200) throw new Error(`the answer has the status ${status}`);
  const bytes = question.payload.takeRaw();
  if (!(bytes instanceof Uint8Array)) throw new Error('the answer is empty');
  return Buffer.from(bytes).toString('utf8');
}

/** Gets a document with the sender of messages. */
function fetchText(url: string, { services }: CompileContext): Promise<string> {
  const { origin, pathname, search } = new URL(url);
  const headers = ['Accept', 'text/xml, application/xml'];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const exchange = services.sender.send(
    { origin, method: 'GET', target: `${pathname}${search}`, headers, body: null, idleTimeout: timeLimit },
    {
      onResponse(response) {
        readText(response, services.settings.maxBodyBytes).then(resolve, reject);
      },
      onError(error) {
        reject(error);
      },
    },
  );
  const cancelTimer = services.clock.after(timeLimit, () => {
    reject(new Error(`no answer within ${timeLimit} ms`));
    exchange.abort();
  });
  // A sender may fail at once; the timer must not outlive the exchange then.
  promise.then(cancelTimer, cancelTimer);
  return promise;
}

async function readText({ status, body }: IncomingResponse, limit: number): Promise<string> {
  if (status !== 200 || body === null) {
    body?.cancel();
    throw new Error(`the answer has the status ${status}`);
  }
  return Buffer.from(await readBody(body, limit)).toString('utf8');
}
