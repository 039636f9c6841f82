import type { Visit } from '#entry';
import { messageOf } from '#errors';
import { getLogger } from '#core';
import { STOP, type Flow } from '#mediation';
import type { CompiledProxy } from './compile.ts';
import type { DocumentQuery } from './wsdl/description.ts';
import type { ServiceAddresses } from './wsdl/ports.ts';

const log = getLogger('proxy');

/** What a query asks of a service instead of a message: one of its documents. */
export type DocumentRequest = DocumentQuery | { readonly kind: 'policy'; readonly name: string };

const kinds = ['wsdl', 'wsdl2', 'xsd', 'policy'] as const;

/** The document that the query of a GET asks for: `?wsdl`, `?xsd=name` …; undefined for any other query. */
export function documentRequestOf(postfix: string): DocumentRequest | undefined {
  const question = postfix.indexOf('?');
  if (question < 0) return undefined;
  const [first = ''] = postfix.slice(question + 1).split('&', 1);
  const equals = first.indexOf('=');
  const name = (equals < 0 ? first : first.slice(0, equals)).toLowerCase();
  const kind = kinds.find((each) => each === name);
  return kind && { kind, name: equals < 0 ? '' : decoded(first.slice(equals + 1)) };
}

/** Answers a request for a document of a service; 404 for one that it does not have. */
export async function answerDocument(
  { exchange, message, world }: Visit,
  proxy: CompiledProxy,
  { request, addresses }: { request: DocumentRequest; addresses: ServiceAddresses },
): Promise<Flow> {
  const { kind, name } = request;
  if (kind === 'policy') {
    const text = policiesOf(proxy, (key) => world.library.resource(key));
    if (text === undefined) exchange.answerText(404, 'text/plain; charset=UTF-8', 'The service has no policy');
    else exchange.answerText(200, 'application/xml; charset=UTF-8', text);
    return STOP;
  }
  try {
    const description = await proxy.description(message);
    const text = description.document({ kind, name }, addresses);
    if (text === undefined) {
      exchange.answerText(404, 'text/plain; charset=UTF-8', 'The service has no document of this name');
    } else exchange.answerText(200, 'text/xml; charset=UTF-8', text);
  } catch (error) {
    log.warn({ proxy: proxy.definition.name, err: error }, 'a document of the service cannot be shown');
    exchange.answerText(503, 'text/plain; charset=UTF-8', messageOf(error));
  }
  return STOP;
}

/** The policies of the whole service, one document or several in one. */
function policiesOf({ definition }: CompiledProxy, read: (key: string) => string | undefined): string | undefined {
  const texts = definition.policies
    .filter(({ type, operationName }) => type === undefined && operationName === undefined)
    .flatMap(({ key }) => read(key)?.replace(/^\s*<\?xml[^>]*\?>\s*/, '') ?? []);
  if (texts.length < 2) return texts[0];
  return `<wsp:Policies xmlns:wsp="http://schemas.xmlsoap.org/ws/2004/09/policy">${texts.join('')}</wsp:Policies>`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // No document has such a name; the answer will say so.
    return text;
  }
}
