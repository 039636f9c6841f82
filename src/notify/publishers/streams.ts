import { MillraceError, messageOf, ProblemsError } from '#errors';
import type { AttributeValue, StreamEvent } from '../stream-event.ts';

/** Kinds of attribute values, as definitions of streams spell them in any case. */
const kinds: Readonly<Record<string, (value: AttributeValue) => boolean>> = {
  string: (value) => typeof value === 'string',
  int: Number.isInteger,
  long: Number.isInteger,
  float: (value) => typeof value === 'number',
  double: (value) => typeof value === 'number',
  bool: (value) => typeof value === 'boolean',
};

const groups: Readonly<Record<string, string>> = {
  metaData: 'meta_',
  correlationData: 'correlation_',
  payloadData: '',
};

/** A stream with the attributes that each of its events has. */
export interface Stream {
  /** `name:version`. */
  readonly id: string;
  /** Kind by name; the name carries the prefix of its group. Empty when nothing is declared. */
  readonly attributes: ReadonlyMap<string, string>;
}

/**
 * Reads one file of `eventstreams`.
 *
 * @throws ProblemsError naming what was expected and found
 */
export function parseStream(text: string, file: string): Stream {
  const found = parseJson(text, file);
  const { name, version } = found;
  if (typeof name !== 'string' || typeof version !== 'string' || !name || !version) {
    throw problem(file, 'A stream needs "name" and "version", both texts');
  }
  const attributes = new Map<string, string>();
  for (const [group, prefix] of Object.entries(groups)) {
    const members = found[group] ?? [];
    if (!Array.isArray(members)) throw problem(file, `"${group}" must be an array of objects with "name" and "type"`);
    for (const member of members as readonly unknown[]) {
      const { name: attribute, type } = (member ?? {}) as { name?: unknown; type?: unknown };
      const kind = typeof type === 'string' ? type.toLowerCase() : '';
      if (typeof attribute !== 'string' || !kinds[kind]) {
        const shown = JSON.stringify(member);
        throw problem(file, `"${group}" needs "name" and a "type" of ${Object.keys(kinds).join(', ')}, found ${shown}`);
      }
      attributes.set(prefix + attribute, kind);
    }
  }
  return { id: `${name}:${version}`, attributes };
}

/** @throws MillraceError `MR_STREAM_EVENT` for an event that lacks a declared attribute or has one of another kind */
export function checkEvent({ id, attributes }: Stream, event: StreamEvent): void {
  for (const [name, kind] of attributes) {
    const value = event.values.get(name);
    if (value !== undefined && (value === null || kinds[kind]?.(value))) continue;
    const found = value === undefined ? 'nothing' : typeof value;
    throw new MillraceError({
      code: 'MR_STREAM_EVENT',
      status: 422,
      message: `Events of ${id} have the attribute "${name}" of type ${kind}, found ${found}`,
    });
  }
}

function parseJson(text: string, file: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw problem(file, `The definition of a stream is JSON: ${messageOf(error)}`);
  }
  throw problem(file, 'The definition of a stream is a JSON object');
}

function problem(file: string, message: string): ProblemsError {
  return new ProblemsError([{ code: 'MR_STREAM', severity: 'error', message, position: { file, line: 1, column: 1 } }]);
}
