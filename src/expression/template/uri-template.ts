import { ExpressionError, within } from '../error.ts';
import { urlDecode } from '../url-encoding.ts';

/** A compiled RFC 6570 template of an http endpoint. */
export interface UriTemplate {
  /** Names of its variables, each once. */
  readonly variables: readonly string[];
  /** The address; the template's own text when the result would be no URI. Variables without a value leave nothing. */
  readonly expand: (lookup: (name: string) => string | undefined) => string;
}

interface Operator {
  readonly first: string;
  readonly separator: string;
  readonly named: boolean;
  /** What stands behind the name of an empty value. */
  readonly ifEmpty: string;
  readonly allowReserved: boolean;
}

/** RFC 6570, appendix A. */
const operators: Readonly<Record<string, Operator>> = {
  '': { first: '', separator: ',', named: false, ifEmpty: '', allowReserved: false },
  '+': { first: '', separator: ',', named: false, ifEmpty: '', allowReserved: true },
  '#': { first: '#', separator: ',', named: false, ifEmpty: '', allowReserved: true },
  '.': { first: '.', separator: '.', named: false, ifEmpty: '', allowReserved: false },
  '/': { first: '/', separator: '/', named: false, ifEmpty: '', allowReserved: false },
  ';': { first: ';', separator: ';', named: true, ifEmpty: '', allowReserved: false },
  '?': { first: '?', separator: '&', named: true, ifEmpty: '=', allowReserved: false },
  '&': { first: '&', separator: '&', named: true, ifEmpty: '=', allowReserved: false },
};

interface Variable {
  readonly name: string;
  readonly prefix: number | undefined;
}

interface Part {
  readonly operator: Operator;
  readonly variables: readonly Variable[];
}

const legacyPrefix = 'legacy-encoding:';

/**
 * Compiles the URI template of an http endpoint (runtime-core 5.2): RFC 6570 with string values, where a template that
 * starts with a plain variable takes it for a whole address. `${name}` stays for those who substitute properties.
 *
 * @throws ExpressionError with the offset
 */
export function compileUriTemplate(text: string): UriTemplate {
  const isLegacy = text.startsWith(legacyPrefix);
  const shift = isLegacy ? legacyPrefix.length : 0;
  const source = text.slice(shift);
  const parts = within(shift, () => parse(source));
  const variables = new Set(
    parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables.map(({ name }) => name))),
  );
  return {
    variables: [...variables],
    expand: (lookup) => {
      const valueOf = isLegacy ? (name: string): string | undefined => formDecoded(lookup(name)) : lookup;
      let result = '';
      for (const part of parts) result += typeof part === 'string' ? part : expandPart(part, valueOf);
      if (isLegacy) result = assemble(percentDecoded(result));
      return isUri(result) ? result : source;
    },
  };
}

function parse(source: string): (string | Part)[] {
  const parts: (string | Part)[] = [];
  const pattern = /\$\{[^{}]*\}|\{([^{}]*)\}|[{}]/g;
  let end = 0;
  for (const match of source.matchAll(pattern)) {
    const [whole, body] = match;
    if (whole.startsWith('$')) continue;
    if (body === undefined) {
      throw new ExpressionError(
        whole === '{' ? 'expected "}" behind this "{"' : 'found "}" without a "{" before',
        match.index,
      );
    }
    if (match.index > end) parts.push(source.slice(end, match.index));
    parts.push(parsePart(body, match.index));
    end = match.index + whole.length;
  }
  if (end < source.length) parts.push(source.slice(end));
  return parts;
}

function parsePart(body: string, offset: number): Part {
  const sign = /^[+#./;?&=,!@|]/.exec(body)?.[0] ?? '';
  // A value at the very start is an address and must not be encoded.
  const operator = operators[sign === '' && offset === 0 ? '+' : sign];
  if (!operator) throw new ExpressionError(`the operator "${sign}" is reserved by RFC 6570`, offset + 1);
  let at = offset + 1 + sign.length;
  const variables = body
    .slice(sign.length)
    .split(',')
    .map((spec) => {
      const match = /^((?:[\w.-]|%[0-9A-Fa-f]{2})+)(?::([1-9][0-9]{0,3})|\*)?$/.exec(spec);
      if (!match) throw new ExpressionError(`expected the name of a variable but found "${spec}"`, at);
      at += spec.length + 1;
      return { name: match[1] ?? '', prefix: match[2] === undefined ? undefined : Number(match[2]) };
    });
  return { operator, variables };
}

function expandPart({ operator, variables }: Part, lookup: (name: string) => string | undefined): string {
  let result = '';
  for (const { name, prefix } of variables) {
    const value = lookup(name);
    if (value === undefined) continue;
    const taken = prefix === undefined ? value : Array.from(value).slice(0, prefix).join('');
    result += result === '' ? operator.first : operator.separator;
    const encoded = operator.allowReserved ? encodeIllegal(taken) : encodeReserved(taken);
    if (operator.named) result += name + (taken === '' ? operator.ifEmpty : `=${encoded}`);
    else result += encoded;
    // An empty value without a name still takes its place, so that the next one gets a separator.
    if (result === '') result = emptyMark;
  }
  return result.replaceAll(emptyMark, '');
}

const emptyMark = '\0';

function encodeReserved(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, percentEncoded);
}

/** Keeps reserved characters and what is percent-encoded already. */
function encodeIllegal(text: string): string {
  return text
    .toWellFormed()
    .replace(/%(?![0-9A-Fa-f]{2})|[^\w\-.~:/?#[\]@!$&'()*+,;=%]/gu, (character) => encodeURIComponent(character));
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** True when there is nothing in the text that no URI can have; placeholders for properties do not count. */
function isUri(text: string): boolean {
  return !/[\s<>"{}|\\^`]|%(?![0-9A-Fa-f]{2})/.test(text.replace(/\$\{[^{}]*\}/g, ''));
}

function formDecoded(value: string | undefined): string | undefined {
  return value === undefined || isMalformed(value) ? value : urlDecode(value, 'UTF-8');
}

function percentDecoded(text: string): string {
  return isMalformed(text) ? text : urlDecode(text, 'UTF-8');
}

function isMalformed(text: string): boolean {
  return /%(?![0-9A-Fa-f]{2})/.test(text);
}

/** Puts the parts of an address together as java.net.URI does: what a part cannot have is encoded, `%` always. */
function assemble(text: string): string {
  const [, start = '', path = '', query = '', fragment = ''] =
    /^((?:[A-Za-z][\w+.-]*:)?(?:\/\/[^/?#]*)?)([^?#]*)(\?[^#]*)?(#[\s\S]*)?$/.exec(text) ?? ['', '', text];
  const quote = (part: string, legal: RegExp): string =>
    part.replace(legal, (character) => encodeURIComponent(character));
  return (
    start +
    quote(path, /[^\w\-.~!'()*,;:$&+=/@]/gu) +
    quote(query, /[^\w\-.~!'()*,;:$&+=/@?[\]]/gu) +
    fragment.slice(0, 1) +
    quote(fragment.slice(1), /[^\w\-.~!'()*,;:$&+=/@?[\]]/gu)
  );
}
