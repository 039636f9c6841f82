import { MillraceError } from '#errors';
import { escapeText } from '#xml';
import { valueOf, type AttributeValue, type StreamEvent } from '../stream-event.ts';
import { createStringWatch, cutText, insideString } from './placeholders.ts';

export const mappingTypes = ['text', 'json', 'form', 'xml'] as const;
export type MappingType = (typeof mappingTypes)[number];

/** How an event becomes the text that is sent. */
export interface Mapping {
  readonly type: MappingType;
  /** The text with places for attributes; undefined sends all attributes in the form of the type. */
  readonly inline: string | undefined;
}

/**
 * Makes the text of an event.
 *
 * @throws MillraceError `MR_NOTIFY_ATTRIBUTE` when the event lacks an attribute that JSON or XML needs
 */
export type Render = (event: StreamEvent) => string;

/** Media types by kind of mapping (identity 6.9). */
export const mediaTypes: Readonly<Record<MappingType, string>> = {
  text: 'text/plain; charset=UTF-8',
  json: 'application/json; charset=UTF-8',
  form: 'application/x-www-form-urlencoded; charset=UTF-8',
  xml: 'text/xml; charset=UTF-8',
};

/** Compiles a mapping, once, when its publisher is read (identity 6.7). */
export function compileMapping({ type, inline }: Mapping): Render {
  return inline === undefined ? wholeEvent[type] : compilers[type](inline);
}

/** A text with places where a missing attribute leaves nothing, as dynamic properties are. */
export function compileText(text: string): Render {
  const pieces = cutText(text);
  return (event) =>
    pieces.map((piece) => (typeof piece === 'string' ? piece : String(valueOf(event, piece.name) ?? ''))).join('');
}

const compilers: Readonly<Record<MappingType, (inline: string) => Render>> = {
  text: compileText,
  json(inline) {
    const isInside = createStringWatch();
    let inString = false;
    const pieces = cutText(inline).map((piece) => {
      if (typeof piece === 'string') {
        inString = isInside(piece);
        return piece;
      }
      return { name: piece.name, inString };
    });
    return (event) =>
      pieces
        .map((piece) => {
          if (typeof piece === 'string') return piece;
          const value = needed(event, piece.name);
          return piece.inString ? insideString(String(value ?? '')) : JSON.stringify(value);
        })
        .join('');
  },
  form(inline) {
    // Places are cut before the text is, so that a comma in a value separates nothing.
    const pairs = inline.split(',').map((pair) => cutText(pair.trim()));
    return (event) =>
      pairs
        .map((pieces) =>
          pieces
            .map((piece) =>
              typeof piece === 'string'
                ? piece
                : encodeURIComponent(String(valueOf(event, piece.name) ?? '').toWellFormed()),
            )
            .join(''),
        )
        .join('&');
  },
  xml(inline) {
    const pieces = cutText(inline);
    return (event) =>
      pieces
        .map((piece) => (typeof piece === 'string' ? piece : escapeText(String(needed(event, piece.name) ?? ''))))
        .join('');
  },
};

/** What a publisher without a mapping of its own sends. */
const wholeEvent: Readonly<Record<MappingType, Render>> = {
  text: ({ values }) => [...values].map(([name, value]) => `${name}:${value}`).join(',\n'),
  json: ({ values }) => JSON.stringify({ event: groupsOf(values) }),
  form: ({ values }) => new URLSearchParams([...values].map(([name, value]) => [name, String(value ?? '')])).toString(),
  xml({ values }) {
    const groups = Object.entries(groupsOf(values)).map(([group, members]) => {
      const inner = Object.entries(members).map(([name, value]) => `<${name}>${escapeText(String(value))}</${name}>`);
      return `<${group}>${inner.join('')}</${group}>`;
    });
    return `<events><event>${groups.join('')}</event></events>`;
  },
};

const groupPrefixes: readonly (readonly [prefix: string, group: string])[] = [
  ['meta_', 'metaData'],
  ['correlation_', 'correlationData'],
  ['arbitrary_', 'arbitraryData'],
  ['', 'payloadData'],
];

function groupsOf(values: StreamEvent['values']): Record<string, Record<string, AttributeValue>> {
  const groups: Record<string, Record<string, AttributeValue>> = {};
  for (const [name, value] of values) {
    const [prefix, group] = groupPrefixes.find(([start]) => name.startsWith(start)) ?? ['', 'payloadData'];
    (groups[group] ??= {})[name.slice(prefix.length)] = value;
  }
  return groups;
}

function needed(event: StreamEvent, name: string): AttributeValue {
  const value = valueOf(event, name);
  if (value !== undefined) return value;
  throw new MillraceError({
    code: 'MR_NOTIFY_ATTRIBUTE',
    status: 422,
    message: `The event lacks the attribute "${name}", which the mapping of its publisher names`,
  });
}
