import { OAuthError } from './errors.ts';

/** What the parameter `claims` asks for (OpenID Connect Core 5.5). */
export interface RequestedClaims {
  /** Names for the ID token. */
  readonly names: readonly string[];
  /** The value that `sub` has to have. */
  readonly subject: string | undefined;
}

/** @throws OAuthError `invalid_request` for what is no object of objects */
export function readClaims(given: string | undefined): RequestedClaims {
  if (given === undefined) return { names: [], subject: undefined };
  const all = parse(given);
  const [idToken, userInfo] = [all['id_token'] ?? {}, all['userinfo'] ?? {}];
  if (!isObject(idToken) || !isObject(userInfo)) throw malformed();
  const asked = idToken['sub'];
  const value = isObject(asked) ? asked['value'] : undefined;
  return { names: Object.keys(idToken), subject: typeof value === 'string' ? value : undefined };
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new OAuthError('invalid_request', 'The claims are no JSON text', { cause });
  }
  if (!isObject(parsed)) throw malformed();
  return parsed;
}

function malformed(): OAuthError {
  return new OAuthError('invalid_request', 'The claims are no object with id_token and userinfo');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
