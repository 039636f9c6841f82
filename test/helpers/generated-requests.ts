import { childElements, getAttribute, parseXml, type XmlElement } from '#xml';
import { stockQuoteRequest } from './stock-quote-service.ts';

/** Bodies that a generated request may carry. */
export const sampleBodies = {
  json: { contentType: 'application/json', text: '{"name":"Ann","id":7,"items":[{"id":1},{"id":2}]}' },
  xml: {
    contentType: 'application/xml',
    text: '<order><name>Ann</name><id>7</id><item>1</item><item>2</item></order>',
  },
} as const;

/** One request that some resource of an API should take. */
export interface GeneratedRequest {
  /** What is asked, for messages: method and target. */
  readonly line: string;
  /** The request as on the wire. */
  readonly text: string;
}

const bodyMethods = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Makes a request for every method of every resource of the API in an artifact file: its context, its version, the
 * variables of its template filled, and a body where the method has one.
 */
export function requestsFor(text: string, body: keyof typeof sampleBodies): readonly GeneratedRequest[] {
  const { root } = parseXml(text);
  return childElements(root)
    .filter((element) => element.local === 'resource')
    .flatMap((resource) => {
      const methods = getAttribute(resource, 'methods')?.split(' ') ?? ['GET', 'POST'];
      return methods.map((method) => requestOf(root, resource, { method, body }));
    });
}

/**
 * Makes requests for a service: a quote in SOAP 1.1, SOAP 1.2 and plain XML, an order, a JSON body and a GET. `path`
 * is where the service stands.
 */
export function requestsForService(path: string): readonly GeneratedRequest[] {
  const { json } = sampleBodies;
  const texts = [
    stockQuoteRequest(path, 'getQuote', 'soap11'),
    stockQuoteRequest(path, 'getQuote', 'soap12'),
    stockQuoteRequest(path, 'getQuote', 'pox'),
    stockQuoteRequest(path, 'placeOrder', 'soap11'),
    `POST ${path} HTTP/1.1\nContent-Type: ${json.contentType}\n\n${json.text}`,
    `GET ${path}/IBM?days=3 HTTP/1.1`,
  ];
  return texts.map((text) => ({ line: text.split('\n', 2).join(' '), text }));
}

/** Where a proxy service stands, and over which transport it is reached. */
export function addressOfProxy(text: string): { path: string; isSecure: boolean } {
  const { root } = parseXml(text);
  const transports = getAttribute(root, 'transports')?.split(/[\s,]+/) ?? ['http'];
  return { path: `/services/${getAttribute(root, 'name') ?? ''}`, isSecure: !transports.includes('http') };
}

function requestOf(
  api: XmlElement,
  resource: XmlElement,
  { method, body }: { method: string; body: keyof typeof sampleBodies },
): GeneratedRequest {
  const sample = sampleBodies[body];
  const target = `${contextOf(api)}${pathOf(resource)}`;
  const scheme = getAttribute(api, 'transports') ?? getAttribute(resource, 'protocol');
  const lines = [`${method} ${target} HTTP/1.1`];
  const hostname = getAttribute(api, 'hostname');
  if (hostname !== undefined) lines.push(`Host: ${hostname}:${getAttribute(api, 'port') ?? '8280'}`);
  if (bodyMethods.has(method)) {
    lines.push(`Content-Type: ${getAttribute(resource, 'content-type') ?? sample.contentType}`, '', sample.text);
  }
  return { line: `${scheme === 'https' ? 'https ' : ''}${method} ${target}`, text: lines.join('\n') };
}

function contextOf(api: XmlElement): string {
  const context = (getAttribute(api, 'context') ?? '').replace(/\/+$/, '');
  const version = getAttribute(api, 'version') ?? '';
  return getAttribute(api, 'version-type') === 'url' ? `${context}/${version}` : context.replace('{version}', version);
}

/** A path that the mapping or template of the resource matches. */
function pathOf(resource: XmlElement): string {
  const mapping = getAttribute(resource, 'url-mapping');
  if (mapping !== undefined) {
    return mapping.startsWith('*.')
      ? `/file${mapping.slice(1)}`
      : mapping.replace(/\*$/, 'part').replace(/^(?!\/)/, '/');
  }
  const template = getAttribute(resource, 'uri-template') ?? '/';
  return template
    .replaceAll(/\{([+#./]?)([^}]+)\}/g, (_, operator: string, names: string) => {
      const separator = operator === '/' ? '/' : operator === '.' ? '.' : ',';
      const lead = operator === '+' ? '' : operator;
      return lead + names.split(',').map(valueOf).join(separator);
    })
    .replace(/\*$/, 'part');
}

/** `name:3` wants a value of three characters. */
function valueOf(name: string): string {
  const length = /:(\d+)$/.exec(name)?.[1];
  return length === undefined ? '7' : '7'.repeat(Number(length));
}
