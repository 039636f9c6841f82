import { MillraceError, messageOf } from '#errors';
import { bodySourceOf, noAddressing, Payload, type Addressing, type Attachment, type PayloadOrigin } from '#message';
import { parseXml, serializeXml, XmlElement } from '#xml';
import type { StoredMessage } from './stored-message.ts';

/** A property: name, what it is, its text. */
type Value = readonly [name: string, kind: 'string' | 'number' | 'boolean' | 'xml', text: string];

type Body =
  | { readonly form: 'bytes'; readonly bytes: string; readonly origin: PayloadOrigin }
  | { readonly form: 'json'; readonly text: string; readonly origin: PayloadOrigin }
  | {
      readonly form: 'envelope';
      readonly text: string;
      readonly origin: PayloadOrigin;
      /** Parts that go beside the envelope. */
      readonly attachments?: readonly StoredAttachment[];
    };

/** An attachment whose bytes are Base64. */
type StoredAttachment = Omit<Attachment, 'bytes'> & { readonly bytes: string };

/** The form of a stored message in databases and brokers. What it means never changes under one version. */
interface StoredDocument {
  readonly version: 1;
  readonly id: string;
  readonly body: Body;
  readonly headers: readonly string[];
  readonly properties: readonly Value[];
  readonly axis2: readonly Value[];
  readonly variables: readonly Value[];
  readonly addressing: Partial<Addressing>;
}

/**
 * Properties of scope axis2 that say what the payload is. Others belong to the transport that brought the message and
 * do not go through a persistent store (mediators 9.1).
 */
const keptAxis2 = new Set(['messageType', 'ContentType', 'CHARACTER_SET_ENCODING', 'NO_ENTITY_BODY', 'JSON_OBJECT']);

/** Most bytes of a stored payload that is read back; it was within the limits when it came in. */
const noLimit = Number.MAX_SAFE_INTEGER;

/** Writes a message as text: body, headers, addressing, and of the properties texts, numbers, booleans and XML. */
export function writeDocument(stored: StoredMessage): string {
  const document: StoredDocument = {
    version: 1,
    id: stored.id,
    body: bodyOf(stored.payload),
    headers: stored.headers,
    properties: valuesOf(stored.properties),
    axis2: valuesOf(stored.axis2).filter(([name]) => keptAxis2.has(name)),
    variables: valuesOf(stored.variables),
    addressing: stored.addressing,
  };
  return JSON.stringify(document);
}

/** Reads what `writeDocument` wrote. @throws MillraceError `MR_STORE_CONTENT` for anything else */
export async function readDocument(text: string): Promise<StoredMessage> {
  try {
    const document = JSON.parse(text) as StoredDocument;
    if (document.version !== 1) throw new Error(`expected version 1, found ${String(document.version)}`);
    const { id, body, headers, properties, axis2, variables, addressing } = document;
    return {
      id,
      payload: await payloadOf(body),
      headers: [...headers],
      properties: mapOf(properties),
      axis2: mapOf(axis2),
      variables: mapOf(variables),
      addressing: { ...noAddressing(), ...addressing },
    };
  } catch (error) {
    throw new MillraceError({
      code: 'MR_STORE_CONTENT',
      message: `What is stored is no message of this program: ${messageOf(error)}`,
      cause: error,
    });
  }
}

/** A payload that nobody changed keeps its bytes; others have the form in which they are sent on. */
function bodyOf(payload: Payload): Body {
  const copy = payload.clone();
  const { origin } = copy;
  if (copy.pristine) {
    const bytes = copy.takeRaw();
    if (bytes instanceof Uint8Array) return { form: 'bytes', bytes: Buffer.from(bytes).toString('base64'), origin };
  }
  const json = copy.jsonText();
  if (json !== undefined) return { form: 'json', text: json, origin };
  const attachments = copy.attachments.map((each) => ({ ...each, bytes: Buffer.from(each.bytes).toString('base64') }));
  const text = serializeXml(copy.envelope());
  return { form: 'envelope', text, origin, ...(attachments.length === 0 ? {} : { attachments }) };
}

async function payloadOf(body: Body): Promise<Payload> {
  if (body.form === 'bytes') {
    const payload = Payload.received(bodySourceOf(Buffer.from(body.bytes, 'base64')), body.origin);
    await payload.load(noLimit);
    return payload;
  }
  const payload = Payload.received(null, body.origin);
  if (body.form === 'json') payload.setJson(body.text);
  else {
    payload.setEnvelope(parseXml(body.text).root);
    const { attachments = [] } = body;
    payload.attach(attachments.map((each) => ({ ...each, bytes: Buffer.from(each.bytes, 'base64') })));
  }
  return payload;
}

function valuesOf(map: ReadonlyMap<string, unknown>): Value[] {
  return [...map].flatMap(([name, value]): Value[] => {
    if (typeof value === 'string') return [[name, 'string', value]];
    if (typeof value === 'number' || typeof value === 'bigint') return [[name, 'number', String(value)]];
    if (typeof value === 'boolean') return [[name, 'boolean', String(value)]];
    return value instanceof XmlElement ? [[name, 'xml', serializeXml(value)]] : [];
  });
}

function mapOf(values: readonly Value[]): Map<string, unknown> {
  return new Map(values.map(([name, kind, text]) => [name, readers[kind](text)]));
}

const readers = {
  string: (text: string): unknown => text,
  number: (text: string): unknown => Number(text),
  boolean: (text: string): unknown => text === 'true',
  xml: (text: string): unknown => parseXml(text).root,
} as const;
