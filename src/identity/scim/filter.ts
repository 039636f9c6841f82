import { isObject, member, pathNames, type ScimObject } from './json.ts';
import { ScimError } from './scim-error.ts';

const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const;
type Comparison = (typeof comparisons)[number];

/** A filter of RFC 7644 §3.4.2.2. */
export type Filter =
  | { readonly kind: 'compare'; readonly path: string; readonly operator: Comparison; readonly value: unknown }
  | { readonly kind: 'present'; readonly path: string }
  | { readonly kind: 'and' | 'or'; readonly left: Filter; readonly right: Filter }
  | { readonly kind: 'not'; readonly inner: Filter }
  | { readonly kind: 'some'; readonly path: string; readonly inner: Filter };

/** Filters may nest so deeply. */
const mostDepth = 32;

const token = /\s*(?:([()[\]])|("(?:[^"\\]|\\.)*")|([^\s()[\]"]+))/y;

/** @throws ScimError `invalidFilter` */
export function parseFilter(text: string): Filter {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.trimEnd().length) {
    const match = token.exec(text);
    if (!match) throw wrong(`it cannot be read after ${tokens.length} words`);
    tokens.push(match[1] ?? match[2] ?? match[3] ?? '');
  }
  let next = 0;
  const peek = (): string | undefined => tokens[next]?.toLowerCase();
  const take = (): string => {
    const found = tokens[next++];
    if (found === undefined) throw wrong('it ends too early');
    return found;
  };
  const expect = (wanted: string): void => {
    const found = take();
    if (found !== wanted) throw wrong(`expected ${wanted}, found ${found}`);
  };

  const either = (depth: number): Filter => {
    if (depth > mostDepth) throw wrong('it is nested too deeply');
    let left = both(depth);
    while (peek() === 'or') {
      next++;
      left = { kind: 'or', left, right: both(depth) };
    }
    return left;
  };
  const both = (depth: number): Filter => {
    let left = single(depth);
    while (peek() === 'and') {
      next++;
      left = { kind: 'and', left, right: single(depth) };
    }
    return left;
  };
  const single = (depth: number): Filter => {
    if (peek() === 'not' && tokens[next + 1] === '(') {
      next++;
      return { kind: 'not', inner: single(depth) };
    }
    if (peek() === '(') {
      next++;
      const inner = either(depth + 1);
      expect(')');
      return inner;
    }
    const path = take();
    if (!/^[A-Za-z][\w.:$-]*$/.test(path)) throw wrong(`expected an attribute, found ${path}`);
    if (peek() === '[') {
      next++;
      const inner = either(depth + 1);
      expect(']');
      return { kind: 'some', path, inner };
    }
    const operator = take().toLowerCase();
    if (operator === 'pr') return { kind: 'present', path };
    const known = comparisons.find((each) => each === operator);
    if (!known) throw wrong(`expected ${comparisons.join(', ')} or pr, found ${operator}`);
    return { kind: 'compare', path, operator: known, value: literal(take()) };
  };

  const filter = either(0);
  if (next < tokens.length) throw wrong(`nothing was expected at ${tokens[next]}`);
  return filter;
}

function literal(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw wrong(`expected a value in quotes, a number, true, false or null, found ${text}`);
  }
}

/** Whether the filter admits an object. */
export function matchesFilter(filter: Filter, object: ScimObject): boolean {
  switch (filter.kind) {
    case 'and':
      return matchesFilter(filter.left, object) && matchesFilter(filter.right, object);
    case 'or':
      return matchesFilter(filter.left, object) || matchesFilter(filter.right, object);
    case 'not':
      return !matchesFilter(filter.inner, object);
    case 'some':
      return valuesAt(object, filter.path).some((value) => isObject(value) && matchesFilter(filter.inner, value));
    case 'present':
      return valuesAt(object, filter.path).some((value) => value !== null && value !== '');
    case 'compare':
      return compares(filter, valuesAt(object, filter.path));
  }
}

type Comparing = Omit<Extract<Filter, { kind: 'compare' }>, 'kind'>;

function compares({ path, operator, value }: Comparing, found: readonly unknown[]): boolean {
  const plain = found.map((each) => (isObject(each) ? member(each, 'value') : each));
  if (operator === 'ne') return plain.every((each) => !holds({ operator: 'eq', value, path }, each));
  return plain.some((each) => holds({ operator, value, path }, each));
}

/** Text is compared without case, but ids are exact (RFC 7643 §2.1, §3.1). */
function holds({ operator, value: wanted, path }: Comparing, found: unknown): boolean {
  if (typeof found !== 'string' || typeof wanted !== 'string') {
    if (operator === 'eq') return found === wanted;
    if (typeof found !== 'number' || typeof wanted !== 'number') return false;
    return ordered(operator, found - wanted);
  }
  const isExact = /(?:^|\.|:)(?:id|externalId)$/i.test(path);
  const [left, right] = isExact ? [found, wanted] : [found.toLowerCase(), wanted.toLowerCase()];
  if (operator === 'eq') return left === right;
  if (operator === 'co') return left.includes(right);
  if (operator === 'sw') return left.startsWith(right);
  if (operator === 'ew') return left.endsWith(right);
  return ordered(operator, left < right ? -1 : left > right ? 1 : 0);
}

function ordered(operator: Comparison, difference: number): boolean {
  if (operator === 'gt') return difference > 0;
  if (operator === 'ge') return difference >= 0;
  if (operator === 'lt') return difference < 0;
  return operator === 'le' && difference <= 0;
}

/** All values at a path; lists are entered. */
function valuesAt(object: ScimObject, path: string): readonly unknown[] {
  let values: readonly unknown[] = [object];
  for (const name of pathNames(path)) {
    values = values.flatMap((value) => (isObject(value) ? [member(value, name)] : [])).flat();
  }
  return values.filter((value) => value !== undefined);
}

function wrong(reason: string): ScimError {
  return new ScimError(400, `The filter is wrong: ${reason}`, 'invalidFilter');
}
