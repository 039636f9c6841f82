import type { Bag } from '#config';
import type { Parameters } from '../http/parameters.ts';
import { isOAuthErrorCode, OAuthError } from './errors.ts';
import type { Grant, GrantRequest, GrantResult } from './grant.ts';
import type { OAuthServices } from './services.ts';

/** What a module of the extensions gives as a grant handler; see the guide to extensions. */
interface OwnGrant extends Partial<
  Pick<Grant, 'required' | 'subject' | 'admitsPublicClients' | 'refreshTokens' | 'idTokens'>
> {
  run(request: GrantRequest, services: OAuthServices, properties: Bag): Promise<GrantResult> | GrantResult;
}

/** What a module gives as a grant validator: lists of names, a function, or both. */
interface OwnValidator {
  readonly required?: readonly string[];
  readonly forbidden?: readonly string[];
  check?(parameters: Parameters): void;
}

/**
 * A grant whose work is done by what a module exports: an object with `run`, or a class for one.
 *
 * @throws Error for an export of another shape
 */
export function ownGrant(exported: unknown, grant: Grant, properties: Bag): Grant {
  const own = instanceOf(exported);
  if (!isOwnGrant(own)) throw new Error('expected an object, or a class, with the method "run"');
  const { required = grant.required, subject = grant.subject } = own;
  const { admitsPublicClients = grant.admitsPublicClients, refreshTokens = grant.refreshTokens } = own;
  return {
    ...grant,
    required,
    subject,
    admitsPublicClients,
    refreshTokens,
    idTokens: own.idTokens ?? grant.idTokens,
    async run(request, services) {
      try {
        return await own.run(request, services, properties);
      } catch (error) {
        throw refusalOf(error);
      }
    },
  };
}

/**
 * The check of what a module exports as a validator.
 *
 * @throws Error for an export of another shape
 */
export function ownCheck(exported: unknown): (parameters: Parameters) => void {
  const own = instanceOf(exported);
  if (!isValidator(own)) {
    throw new Error('expected an object, or a class, with "check", or with lists "required" and "forbidden"');
  }
  return (parameters) => {
    const missing = own.required?.filter((name) => parameters.get(name) === undefined) ?? [];
    if (missing.length > 0) throw new OAuthError('invalid_request', `Missing parameters: ${missing.join(', ')}`);
    const surplus = own.forbidden?.filter((name) => parameters.has(name)) ?? [];
    if (surplus.length > 0) throw new OAuthError('invalid_request', `Parameters not allowed: ${surplus.join(', ')}`);
    try {
      own.check?.(parameters);
    } catch (error) {
      throw refusalOf(error);
    }
  };
}

function instanceOf(exported: unknown): unknown {
  return typeof exported === 'function' ? Reflect.construct(exported, []) : exported;
}

function isOwnGrant(value: unknown): value is OwnGrant {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'run') === 'function';
}

function isValidator(value: unknown): value is OwnValidator {
  if (typeof value !== 'object' || value === null) return false;
  return (
    typeof Reflect.get(value, 'check') === 'function' ||
    Array.isArray(Reflect.get(value, 'required')) ||
    Array.isArray(Reflect.get(value, 'forbidden'))
  );
}

/** An error that a module throws with `error` set to a code of OAuth is answered so. */
function refusalOf(thrown: unknown): unknown {
  if (thrown instanceof OAuthError || !(thrown instanceof Error)) return thrown;
  const code: unknown = Reflect.get(thrown, 'error');
  return typeof code === 'string' && isOAuthErrorCode(code)
    ? new OAuthError(code, thrown.message, { cause: thrown })
    : thrown;
}
