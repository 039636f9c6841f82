import { OAuthError } from '../oauth/errors.ts';

/** The parameters of a request; each has one value (RFC 6749 §3.1, §3.2: repeated ones are an error). */
export interface Parameters {
  /** The value; undefined when absent or empty, which count alike (RFC 6749 §3.1). */
  get(name: string): string | undefined;
  has(name: string): boolean;
  /** Names in the order of the request, with their values. */
  entries(): IterableIterator<[string, string]>;
}

class ParameterMap implements Parameters {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  get(name: string): string | undefined {
    const value = this.#values.get(name);
    return value === '' ? undefined : value;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  entries(): IterableIterator<[string, string]> {
    return this.#values.entries() as IterableIterator<[string, string]>;
  }
}

/**
 * Reads `application/x-www-form-urlencoded` text: a body or a query.
 *
 * @throws OAuthError `invalid_request` for a repeated name, or for escapes that are no UTF-8
 */
export function readParameters(text: string): Parameters {
  const values = new Map<string, string>();
  let start = 0;
  while (start <= text.length) {
    const found = text.indexOf('&', start);
    const end = found < 0 ? text.length : found;
    if (end > start) addPair(values, text.slice(start, end));
    start = end + 1;
  }
  return new ParameterMap(values);
}

/**
 * Reads a JSON object of texts, as the token endpoint of the original takes it too (identity 1.1).
 *
 * @throws OAuthError `invalid_request` when the body is no object or has a value that is no text or number
 */
export function readJsonParameters(text: string): Parameters {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new OAuthError('invalid_request', 'The body is no JSON text', { cause });
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new OAuthError('invalid_request', 'Expected a JSON object of parameters');
  }
  const values = Object.entries(parsed).map(([name, value]) => {
    if (typeof value === 'string') return [name, value] as const;
    if (typeof value === 'number' || typeof value === 'boolean') return [name, String(value)] as const;
    throw new OAuthError('invalid_request', `Expected a text as value of "${name}"`);
  });
  return new ParameterMap(new Map(values));
}

/** Parameters that are known already. */
export function parametersOf(values: ReadonlyMap<string, string>): Parameters {
  return new ParameterMap(values);
}

function addPair(values: Map<string, string>, pair: string): void {
  const equals = pair.indexOf('=');
  const name = decode(equals < 0 ? pair : pair.slice(0, equals));
  if (values.has(name)) throw new OAuthError('invalid_request', 'Invalid request with repeated parameters.');
  values.set(name, equals < 0 ? '' : decode(pair.slice(equals + 1)));
}

function decode(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch (cause) {
    throw new OAuthError('invalid_request', 'A parameter has an escape that is no UTF-8', { cause });
  }
}
