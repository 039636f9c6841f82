import { compileJavaRegex, type JavaRegex } from '#core/java';
import { messageOf, MillraceError } from '#errors';
import { readServerNames } from '#mediation';
import { childElements, ownText, serializeXml, type XmlElement } from '#xml';
import type { ParameterValue } from './parameters.ts';

/** How the value of a parameter is read. */
export interface ParameterRule<T> {
  /** @throws MillraceError that says what was expected and what was found */
  read(value: ParameterValue, name: string): T;
  readonly isRequired?: true;
}

export function required<T>(rule: ParameterRule<T>): ParameterRule<T> {
  return { ...rule, isRequired: true };
}

/** Any text. */
export const anyText: ParameterRule<string> = {
  read: (value, name) => (typeof value === 'string' ? value : unfit(name, 'a text', `<${value.local}>`)),
};

/** Any text, or an element as markup. */
export const textOrMarkup: ParameterRule<string> = {
  read: (value) => (typeof value === 'string' ? value : serializeXml(value)),
};

/** Names between commas. */
export const nameList: ParameterRule<readonly string[]> = textRule((text) =>
  text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()])),
);

/** Names of servers, as everything that is pinned has them. */
export const serverNames: ParameterRule<readonly string[]> = textRule(readServerNames);

export const flag: ParameterRule<boolean> = textRule((text, name) => {
  const word = text.toLowerCase();
  return word === 'true' || word === 'false' ? word === 'true' : unfit(name, 'true or false', `"${text}"`);
});

/** A whole number of at least `least` and at most `most`. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): ParameterRule<number> {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return textRule((text, name) => {
    const number = /^-?\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return number >= least && number <= most ? number : unfit(name, `a whole number ${range}`, `"${text}"`);
  });
}

/** One of some words, in any case. */
export function word<T extends string>(words: readonly T[]): ParameterRule<T> {
  return textRule((text, name) => {
    const found = words.find((each) => each.toLowerCase() === text.toLowerCase());
    return found ?? unfit(name, `one of ${words.join(', ')}`, `"${text}"`);
  });
}

/** A regular expression of Java. */
export const javaPattern: ParameterRule<JavaRegex> = textRule((text, name) => {
  try {
    return compileJavaRegex(text);
  } catch (error) {
    return unfit(name, 'a regular expression', `"${text}" (${messageOf(error)})`);
  }
});

/** An XML element with texts in its children, such as `<KeyStore><Location>…</Location></KeyStore>`. */
export function xmlFields<N extends string>(
  local: string,
  fields: readonly N[],
  needed: readonly N[],
): ParameterRule<Readonly<Partial<Record<N, string>>> & { readonly element: XmlElement }> {
  return {
    read(value, name) {
      if (typeof value === 'string') return unfit(name, `an element <${local}>`, value === '' ? 'nothing' : 'text');
      if (value.local !== local) return unfit(name, `an element <${local}>`, `<${value.local}>`);
      const found: Partial<Record<N, string>> = {};
      for (const child of childElements(value)) {
        const field = fields.find((each) => each === child.local);
        if (!field) return unfit(name, `${fields.join(', ')} in <${local}>`, `<${child.local}>`);
        found[field] = ownText(child).trim();
      }
      const missing = needed.find((field) => !found[field]);
      return missing === undefined ? { ...found, element: value } : unfit(name, `<${missing}> in <${local}>`, 'none');
    },
  };
}

function textRule<T>(read: (text: string, name: string) => T): ParameterRule<T> {
  return { read: (value, name) => read(anyText.read(value, name), name) };
}

function unfit(name: string, expected: string, found: string): never {
  throw new MillraceError({
    code: 'MR_INBOUND_PARAMETER',
    message: `the parameter "${name}" must be ${expected}; found ${found}`,
  });
}
