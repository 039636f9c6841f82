import type { Key, Config } from '#config';
import { getLogger } from '#core';
import { toError } from '#errors';
import { resolveExtension, type ExtensionPlace } from '#mediation';
import type { HttpRequest, HttpResponder, RequestHandler } from '#transport';

const log = getLogger('server');

/** A GET below `/services`, as a processor gets it. */
export interface ServicePageRequest {
  /** Such as `/services/Orders`. */
  readonly path: string;
  /** Behind the question mark; empty when there is none. */
  readonly query: string;
  readonly headers: readonly string[];
}

/** What a processor answers; text as UTF-8. */
export interface ServicePage {
  readonly status?: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

/**
 * Answers GET below `/services` in the place of the built-in descriptions of services
 * (`listener.parameters.httpGetProcessor`); undefined leaves a request to them.
 */
export interface GetProcessor {
  process(request: ServicePageRequest): Promise<ServicePage | undefined> | ServicePage | undefined;
}

/** Processors of the original, whose pages are built in. */
const builtIn: ReadonlySet<string> = new Set([
  'org.apache.synapse.transport.nhttp.DefaultHttpGetProcessor',
  'org.wso2.carbon.mediation.transport.handlers.PassThroughNHttpGetProcessor',
  'org.wso2.micro.integrator.transport.handlers.PassThroughNHttpGetProcessor',
]);

/**
 * Puts the processor that a key names before the handler.
 *
 * @throws ProblemsError for a class that nothing stands in for
 */
export function withGetProcessor(
  handler: RequestHandler,
  key: Key<string | undefined>,
  { config, place }: { readonly config: Config; readonly place: ExtensionPlace | undefined },
): RequestHandler {
  const className = config.get(key);
  if (className === undefined || builtIn.has(className)) return handler;
  const named = { className, position: config.position(key), kind: 'processor of GET', methods: ['process'] };
  const processor = resolveExtension(named, place)() as GetProcessor;
  return (request, responder) => {
    const [path = '', ...rest] = request.target.split('?');
    if (request.method !== 'GET' || !/^\/services(?:\/|$)/.test(path)) handler(request, responder);
    else void answer(processor, { request, responder, otherwise: handler, path, query: rest.join('?') });
  };
}

interface Asked {
  readonly request: HttpRequest;
  readonly responder: HttpResponder;
  readonly otherwise: RequestHandler;
  readonly path: string;
  readonly query: string;
}

async function answer(processor: GetProcessor, asked: Asked): Promise<void> {
  const { request, responder, otherwise, path, query } = asked;
  try {
    const page = await processor.process({ path, query, headers: request.headers });
    if (responder.finished) {
      request.body?.cancel();
    } else if (page) {
      request.body?.cancel();
      const headers = ['Content-Type', page.contentType];
      responder.respond({ status: page.status ?? 200, headers }, Buffer.from(page.body));
    } else otherwise(request, responder);
  } catch (error) {
    log.error({ err: toError(error), path }, 'a processor of GET failed');
    request.body?.cancel();
    if (!responder.finished) responder.respond({ status: 500, headers: [] }, null);
  }
}
