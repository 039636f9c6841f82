import { OAuthError } from './errors.ts';

/** What the parameter `claims` asks for (OpenID Connect Core 5.5). */
export interface RequestedClaims {
  /** Names for the ID token. */
  readonly names: readonly string[];
  /** Names for user info. */
  readonly ofUserInfo: readonly string[];
  /** Values of `acr` of which the sign-in must have one; undefined when any will do. */
  readonly classes: readonly string[] | undefined;
  /** The value that `sub` has to have. */
  readonly subject: string | undefined;
}

/** @throws OAuthError `invalid_request` for what is no object of objects */
export function readClaims(given: string | undefined): RequestedClaims {
  if (given === undefined) return { names: [], ofUserInfo: [], classes: undefined, subject: undefined };
  const all = parse(given);
  const [idToken, userInfo] = [all['id_token'] ?? {}, all['userinfo'] ?? {}];
  if (!isObject(idToken) || !isObject(userInfo)) throw malformed();
  const asked = idToken['sub'];
  const value = isObject(asked) ? asked['value'] : undefined;
  return {
    names: Object.keys(idToken),
    ofUserInfo: Object.keys(userInfo),
    classes: essentialValues(idToken['acr']),
    subject: typeof value === 'string' ? value : undefined,
  };
}

/** The values of a claim without which the client wants no token (OpenID Connect Core 5.5.1.1). */
function essentialValues(claim: unknown): readonly string[] | undefined {
  if (!isObject(claim) || claim['essential'] !== true) return undefined;
  const { value, values } = claim;
  const all = [...(Array.isArray(values) ? values : []), ...(value === undefined ? [] : [value])];
  return all.length === 0 ? undefined : all.map(String);
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
