import { MillraceError } from '#errors';

/** A parsed replacement: texts and group numbers in turn. */
export type Replacement = readonly (string | number)[];

/**
 * Parses a replacement of `Matcher.replaceAll`: `$1`, `${name}`, and a backslash before what stands for itself.
 *
 * @throws MillraceError `MR_JAVA_REGEX_REPLACEMENT` where Java would refuse it
 */
export function parseReplacement(
  replacement: string,
  groupCount: number,
  names: ReadonlyMap<string, number>,
): Replacement {
  const parts: (string | number)[] = [];
  let position = 0;
  while (position < replacement.length) {
    const character = replacement.charAt(position);
    if (character === '\\') {
      if (position + 1 === replacement.length) throw wrong(replacement, 'a backslash at the end');
      parts.push(replacement.charAt(position + 1));
      position += 2;
    } else if (character === '$') {
      const [length, group] = readGroup(replacement, position, { groupCount, names });
      parts.push(group);
      position += length;
    } else {
      const end = replacement.slice(position).search(/[\\$]/);
      const next = end < 0 ? replacement.length : position + end;
      parts.push(replacement.slice(position, next));
      position = next;
    }
  }
  return parts;
}

function readGroup(
  replacement: string,
  position: number,
  groups: { readonly groupCount: number; readonly names: ReadonlyMap<string, number> },
): [length: number, group: number] {
  const rest = replacement.slice(position);
  const [named, name] = /^\$\{(\w+)\}/.exec(rest) ?? [];
  if (named !== undefined && name !== undefined) {
    const group = groups.names.get(name);
    if (group === undefined) throw wrong(replacement, `no group called "${name}"`);
    return [named.length, group];
  }
  const first = /^\$(\d)/.exec(rest)?.[1];
  if (first === undefined) throw wrong(replacement, 'a $ without a group');
  let group = Number(first);
  let length = 2;
  if (group > groups.groupCount) throw wrong(replacement, `no group ${group}`);
  for (;;) {
    const digit = rest.charAt(length);
    const longer = group * 10 + Number(digit);
    if (!/^\d$/.test(digit) || longer > groups.groupCount) return [length, group];
    group = longer;
    length++;
  }
}

function wrong(replacement: string, what: string): MillraceError {
  return new MillraceError({
    code: 'MR_JAVA_REGEX_REPLACEMENT',
    message: `The replacement ${JSON.stringify(replacement)} has ${what}`,
  });
}
