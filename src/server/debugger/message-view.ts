import { textOf } from '#expression';
import { removeProperty, setProperty, type Message, type WritableScope } from '#message';
import { headerOf, serializeXml } from '#xml';
import type { Fields } from './fields.ts';

/** One part of a message that clients read and write. */
interface Part {
  /** Name of the object in answers. */
  readonly answer: string;
  readonly scope: WritableScope;
  read(message: Message): Fields;
}

const parts: Readonly<Record<string, Part>> = {
  axis2: { answer: 'axis2-properties', scope: 'axis2', read: axis2Of },
  default: { answer: 'synapse-properties', scope: 'default', read: ({ properties }) => textsOf(properties) },
  'axis2-client': { answer: 'axis2Client-properties', scope: 'axis2', read: ({ axis2 }) => textsOf(axis2) },
  transport: { answer: 'axis2Transport-properties', scope: 'transport', read: headersOf },
  operation: {
    answer: 'axis2Operation-properties',
    scope: 'operation',
    read: ({ exchange }) => textsOf(exchange.operation),
  },
};
const variables = 'message-variables';

/** Everything in one context, or one member of it. @throws Error for a context that there is not */
export function readContext(message: Message, context: string, name?: string): Fields | readonly Fields[] {
  if (context === 'all') return [readContext(message, 'axis2', name), readContext(message, 'default', name)].flat();
  const part = partOf(context);
  return { [part.answer]: only(part.read(message), name) };
}

export function readVariables(message: Message, name?: string): Fields {
  return { [variables]: only(textsOf(message.variables), name) };
}

/** @throws Error for a context that there is not */
export function writeProperty(
  message: Message,
  context: string,
  { name, value }: { name: string; value: string },
): void {
  setProperty(message, { scope: partOf(context).scope, name }, value);
}

/** @throws Error for a context that there is not */
export function clearProperty(message: Message, context: string, name: string): void {
  removeProperty(message, { scope: partOf(context).scope, name });
}

function partOf(context: string): Part {
  const part = parts[context === 'synapse' ? 'default' : context];
  if (!part) throw new Error(`there is no context ${context}`);
  return part;
}

function only(fields: Fields, name: string | undefined): Fields {
  return name === undefined ? fields : { [name]: fields[name] ?? null };
}

/** The facts of a message that the original counts among its axis2 properties, and those that were set. */
function axis2Of(message: Message): Fields {
  const { addressing, axis2, payload } = message;
  return {
    ...textsOf(axis2),
    To: addressing.to ?? null,
    From: addressing.from ?? null,
    WSAction: addressing.action ?? null,
    SOAPAction: message.header('SOAPAction') ?? null,
    ReplyTo: addressing.replyTo ?? null,
    MessageID: message.id,
    Direction: message.response ? 'response' : 'request',
    Envelope: serializeXml(payload.envelope()),
    MessageType: shown(axis2.get('messageType')),
    ContentType: shown(axis2.get('ContentType') ?? message.header('Content-Type')),
    SoapHeader: serializeXml(headerOf(payload.envelope())),
    TransportHeaders: headersOf(message),
    ExcessTransportHeaders: repeatedHeadersOf(message),
  };
}

function headersOf({ headers }: Message): Fields {
  const fields: Record<string, string> = {};
  for (let index = 0; index < headers.length; index += 2) fields[headers[index] ?? ''] ??= headers[index + 1] ?? '';
  return fields;
}

/** What a header holds beside its first value. */
function repeatedHeadersOf({ headers }: Message): Fields {
  const seen = new Set<string>();
  const fields: Record<string, string[]> = {};
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    if (seen.has(name.toLowerCase())) (fields[name] ??= []).push(headers[index + 1] ?? '');
    seen.add(name.toLowerCase());
  }
  return fields;
}

function textsOf(values: ReadonlyMap<string, unknown>): Fields {
  return Object.fromEntries([...values].map(([name, value]) => [name, shown(value)]));
}

function shown(value: unknown): string | null {
  return value === undefined || value === null ? null : textOf(value);
}
