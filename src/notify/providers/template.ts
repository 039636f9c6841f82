import { createStringWatch, cutText, insideString } from '../publishers/placeholders.ts';
import { readLoose, writeFormTemplate, writeJsonTemplate } from './loose-template.ts';

export const contentTypes = ['JSON', 'FORM'] as const;
export type ContentType = (typeof contentTypes)[number];

/** The body that a provider's API takes, with places for what a sender and a message say. */
export interface ProviderTemplate {
  /** As the file spells it. */
  readonly provider: string;
  /** By content type; absent where the template cannot be written so. */
  readonly forms: Readonly<Partial<Record<ContentType, string>>>;
  /** What counts for a sender that names no content type. */
  readonly natural: ContentType;
  /** True when the file's text had to be put right. */
  readonly isRepaired: boolean;
}

/** Reads one template; undefined when it is neither JSON, nor pairs, nor something that can be taken for them. */
export function readTemplate(provider: string, source: string): ProviderTemplate | undefined {
  const text = source.trim();
  const loose = readLoose(text);
  const isPairs = !/^[{[]/.test(text) || text.startsWith('{{');
  if (!loose)
    return isJsonTemplate(text) ? { provider, forms: { JSON: text }, natural: 'JSON', isRepaired: false } : undefined;
  const form = writeFormTemplate(loose);
  const isGood = isPairs || isJsonTemplate(text);
  return {
    provider,
    forms: {
      JSON: !isPairs && isGood ? text : writeJsonTemplate(loose),
      ...(form === undefined ? {} : { FORM: isPairs ? text : form }),
    },
    natural: isPairs ? 'FORM' : 'JSON',
    isRepaired: !isGood,
  };
}

/** Names that a template takes from the properties of a sender: `body.scope` of `$body.scope`. */
export function bodyReferences(text: string): readonly string[] {
  return [...text.matchAll(reference)].flatMap(([, name = '']) => (name.startsWith('body.') ? [name] : []));
}

const reference = /\$((?:body\.)?[A-Za-z0-9_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)/g;
const ownNames: ReadonlySet<string> = new Set(['key', 'secret', 'sender']);

/**
 * Puts the values of a sender into a template (identity 6.7). In JSON a value cannot leave its string, and stands
 * without quotes only where the template has none and the value is JSON itself; in pairs it is percent-encoded.
 *
 * @param values by name without `$`; own names without a value become empty, unknown ones stay
 */
export function fillTemplate(text: string, type: ContentType, values: ReadonlyMap<string, string>): string {
  const isInside = createStringWatch();
  let end = 0;
  let filled = '';
  for (const match of text.matchAll(reference)) {
    const before = text.slice(end, match.index);
    const inString = isInside(before);
    const value = values.get(match[1] ?? '') ?? (ownNames.has(match[1] ?? '') ? '' : undefined);
    end = match.index + match[0].length;
    filled += before + (value === undefined ? match[0] : written(value, type, inString));
  }
  return filled + text.slice(end);
}

function written(value: string, type: ContentType, inString: boolean): string {
  if (type === 'FORM') return encodeAround(value);
  return inString ? insideString(value) : isJson(value) ? value : JSON.stringify(value);
}

/** Percent-encodes what stands around the places for attributes. */
function encodeAround(value: string): string {
  return cutText(value)
    .map((piece) => (typeof piece === 'string' ? encodeURIComponent(piece) : `{{${piece.name}}}`))
    .join('');
}

/** True for a text that is JSON once its places are filled. */
function isJsonTemplate(text: string): boolean {
  const isInside = createStringWatch();
  let end = 0;
  let probe = '';
  for (const match of text.matchAll(/\{\{[^{}]*\}\}|\$[\w.-]+/g)) {
    const before = text.slice(end, match.index);
    const inString = isInside(before);
    end = match.index + match[0].length;
    probe += before + (inString ? '' : '0');
  }
  return isJson(probe + text.slice(end));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
