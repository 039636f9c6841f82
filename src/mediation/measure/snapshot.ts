import { messageOf } from '#errors';
import { textOf } from '#expression';
import type { Message } from '#message';
import { serializeXml, XmlElement } from '#xml';
import type { Cover } from './create-masking.ts';

/** What of a message is recorded. */
export interface Recorded {
  readonly payloads: boolean;
  /** Headers and properties of the scopes default, axis2 and operation. */
  readonly properties: boolean;
  readonly variables: boolean;
}

/** Parts of a message as text: `payload`, `header:Accept`, `default:name`, `axis2:name`, `variable:name`. */
export type Snapshot = ReadonlyMap<string, string>;

/** Parts that are new or different; null for those that are gone. */
export type Changes = Readonly<Record<string, string | null>>;

/** Most characters of a payload and of any other part. */
const payloadLimit = 64 * 1024;
const partLimit = 4096;

/** What a snapshot looks at; a message at rest has it too. */
export interface Shown {
  readonly payload: Message['payload'];
  readonly headers: readonly string[];
  readonly properties: ReadonlyMap<string, unknown>;
  readonly axis2: ReadonlyMap<string, unknown>;
  readonly variables: ReadonlyMap<string, unknown>;
  readonly exchange: { readonly operation: ReadonlyMap<string, unknown> };
}

/** What a snapshot is taken with. */
export interface Looking {
  readonly recorded: Recorded;
  /** Masks what nobody may see of this message. */
  readonly cover: Cover;
  /** True when the payload is looked at for values to mask even where it is not recorded. */
  readonly looksIntoPayloads: boolean;
}

/** Describes a message as it is now, with what is secret masked. It changes nothing about the message. */
export function takeSnapshot(message: Shown, { recorded, cover, looksIntoPayloads }: Looking): Snapshot {
  const parts = new Map<string, string>();
  if (recorded.payloads || looksIntoPayloads) {
    const payload = payloadText(message, cover);
    if (recorded.payloads) parts.set('payload', payload);
  }
  if (recorded.properties) {
    const { headers } = message;
    for (let index = 0; index < headers.length; index += 2) {
      const name = headers[index] ?? '';
      const key = `header:${name}`;
      const before = parts.get(key);
      const value = cover.header(name, headers[index + 1] ?? '');
      parts.set(key, before === undefined ? value : `${before}, ${value}`);
    }
    addAll(message.properties, 'default');
    addAll(message.axis2, 'axis2');
    addAll(message.exchange.operation, 'operation');
  }
  if (recorded.variables) addAll(message.variables, 'variable');
  // What was covered late may stand in what was masked before.
  return new Map([...parts].map(([name, text]) => [name, cut(cover.again(text), limitOf(name))]));

  function addAll(values: ReadonlyMap<string, unknown>, scope: string): void {
    for (const [name, value] of values) parts.set(`${scope}:${name}`, cover.property(name, textOfPart(value)));
  }
}

/** What differs between two snapshots; everything of the second one when there is no first. */
export function changesBetween(before: Snapshot | undefined, after: Snapshot): Changes | undefined {
  const changes: Record<string, string | null> = Object.create(null) as Record<string, string | null>;
  for (const [name, value] of after) if (before?.get(name) !== value) changes[name] = value;
  for (const name of before?.keys() ?? []) if (!after.has(name)) changes[name] = null;
  return Object.keys(changes).length === 0 ? undefined : changes;
}

function limitOf(part: string): number {
  return part === 'payload' ? payloadLimit : partLimit;
}

function textOfPart(value: unknown): string {
  if (value instanceof XmlElement) return serializeXml(value);
  if (value === null || value === undefined) return '';
  if (typeof value === 'object' && !Array.isArray(value)) return `[${value.constructor?.name ?? 'object'}]`;
  return textOf(value);
}

function payloadText({ payload }: Shown, cover: Cover): string {
  if (!payload.loaded) return '(not read yet)';
  if (!payload.hasContent) return '';
  try {
    const json = payload.jsonText();
    if (json !== undefined) return cover.text(json);
    const content = payload.content();
    return content ? cover.text(serializeXml(content)) : '';
  } catch (error) {
    return `(not readable: ${cover.text(messageOf(error))})`;
  }
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`;
}
