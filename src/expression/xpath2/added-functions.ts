import { textOf } from '../text.ts';
import { formatPicture } from './format-date.ts';
import { numberPicture } from './format-number.ts';

/** A function that the engine lacks. */
interface AddedFunction {
  readonly name: string;
  /** The types of the arguments, once for each number of them. */
  readonly signatures: readonly (readonly string[])[];
  readonly result: string;
  readonly calculate: (...args: readonly unknown[]) => unknown;
}

const atomic = 'xs:anyAtomicType?';
const text = 'xs:string?';
const dateSignatures = [
  [atomic, text],
  [atomic, text, text, text, text],
];

/** Functions of XPath 2.0 and 3.1 that the engine lacks, or lacks with so many arguments. */
export const addedFunctions: readonly AddedFunction[] = [
  ...['format-date', 'format-dateTime', 'format-time'].map((name) => ({
    name,
    signatures: dateSignatures,
    result: text,
    calculate: (value: unknown, picture: unknown) =>
      value instanceof Date ? formatPicture(value, String(picture)) : null,
  })),
  {
    name: 'format-number',
    signatures: [[atomic, text]],
    result: text,
    calculate: (value, picture) => numberPicture(value === null ? Number.NaN : Number(value), String(picture)),
  },
  {
    name: 'matches',
    signatures: [[text, text, text]],
    result: 'xs:boolean',
    calculate: (value, pattern, flags) => regexOf(pattern, flags).test(textOf(value)),
  },
  {
    name: 'replace',
    signatures: [[text, text, text, text]],
    result: text,
    calculate: (...[value, pattern, replacement, flags]) =>
      textOf(value).replaceAll(regexOf(pattern, flags), replacementOf(textOf(replacement))),
  },
  {
    name: 'tokenize',
    signatures: [[text, text, text]],
    result: 'xs:string*',
    calculate: (value, pattern, flags) => (textOf(value) === '' ? [] : textOf(value).split(regexOf(pattern, flags))),
  },
  {
    name: 'normalize-unicode',
    signatures: [[text], [text, text]],
    result: text,
    calculate: (value, form) => textOf(value).normalize(textOf(form).trim().toUpperCase() || 'NFC'),
  },
  {
    name: 'contains-token',
    signatures: [['xs:string*', text]],
    result: 'xs:boolean',
    calculate: (values, token) =>
      [values].flat().some((value) => textOf(value).split(/\s+/).includes(textOf(token).trim())),
  },
  {
    name: 'sort',
    signatures: [['xs:anyAtomicType*']],
    result: 'item()*',
    calculate: (values) => [values].flat().sort(compareItems),
  },
];

/** Whether a function with so many arguments is one of these. */
export function isAdded(name: string, count: number): boolean {
  return addedFunctions.some((each) => each.name === name && each.signatures.some(({ length }) => length === count));
}

/** Flags of XPath 2.0: `i`, `s` and `m` as in JavaScript, `x` drops blanks, `q` takes the pattern as it is. */
function regexOf(pattern: unknown, flags: unknown): RegExp {
  const wanted = textOf(flags);
  const source = wanted.includes('x') ? textOf(pattern).replaceAll(/\s+/g, '') : textOf(pattern);
  const plain = wanted.includes('q') ? source.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&') : source;
  return new RegExp(plain, `gu${wanted.replaceAll(/[^ism]/g, '')}`);
}

/** `$1` stays what it is, `\\$` and `\\\\` become the characters themselves. */
function replacementOf(replacement: string): string {
  return replacement.replaceAll(/\\(.)/g, (_match, character: string) => (character === '$' ? '$$' : character));
}

function compareItems(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const [first, second] = [String(left), String(right)];
  return first === second ? 0 : first < second ? -1 : 1;
}
