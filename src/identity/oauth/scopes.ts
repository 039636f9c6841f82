import type { Clock } from '#core';
import type { Database } from '#db';
import type { Tenant } from '../tenants/tenant.ts';
import type { Users } from '../users/users.ts';
import type { Client } from './client.ts';
import { OAuthError } from './errors.ts';
import { checksRoles, type ScopeValidators } from './scope-validators.ts';
import { createScopeStore, type ScopeStore } from './scope-store.ts';
import type { Subject } from './tokens.ts';

/** The scopes of OpenID Connect, which nobody has to register (OpenID Connect Core 5.4, 11). */
export const oidcScopes: ReadonlySet<string> = new Set([
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'groups',
  'roles',
  'offline_access',
]);

export interface ScopeRequest {
  readonly tenant: Tenant;
  readonly client: Client;
  readonly subject: Subject;
  readonly wanted: readonly string[];
  /** Whether an ID token may be issued; OpenID Connect's scopes are dropped otherwise. */
  readonly allowsIdToken: boolean;
}

/** The registered scopes, and who is granted which. */
export interface Scopes extends ScopeStore {
  /**
   * Decides which of the wanted scopes are granted (identity 4.8).
   *
   * @throws OAuthError `invalid_scope` for a scope whose roles the user lacks, or that a validator of the client refuses
   */
  grant(request: ScopeRequest): Promise<readonly string[]>;
  readonly validators: ScopeValidators;
}

export interface ScopeParts {
  readonly database: Database;
  readonly clock: Clock;
  /** How long the scopes of a tenant are kept in memory, in milliseconds. */
  readonly cacheTime: number;
  readonly users: Users;
  readonly isAllowed: (scope: string) => boolean;
  readonly defaults: readonly string[];
  /** Who has it may be granted the scopes of administration. */
  readonly adminRole: string;
  readonly validators: ScopeValidators;
}

/** The scope token of RFC 6749 §3.3. */
const scopeSyntax = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * Splits the `scope` parameter; each name counts once.
 *
 * @throws OAuthError `invalid_scope` for characters that no scope may have
 */
export function readScopes(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const words = text.split(' ');
  const names = words.length === 1 ? words : [...new Set(words.filter((name) => name !== ''))];
  const wrong = names.find((name) => !scopeSyntax.test(name));
  if (wrong !== undefined) throw new OAuthError('invalid_scope', 'A scope has a character that scopes may not have');
  return names;
}

/** Scopes that open the administrative APIs; who may not have them is not told, they are left out. */
const administrative = /^internal_/;

export function createScopes({ users, isAllowed, defaults, adminRole, validators, ...parts }: ScopeParts): Scopes {
  const store = createScopeStore(parts);

  /** The roles of whoever the token is for; applications and strangers have none here. */
  const rolesOf = async ({ subject }: ScopeRequest): Promise<ReadonlySet<string>> => {
    if (subject.type !== 'user') return new Set();
    const user = await users.byId(subject.tenant, subject.id);
    return new Set((user ? await users.roles(user) : []).map((role) => role.toLowerCase()));
  };

  /** An application may do what its owner may; nobody else's word makes it an administrator (identity 4.8). */
  const mayAdminister = async ({ subject, client }: ScopeRequest, name: string): Promise<boolean> => {
    const isUser = subject.type === 'user';
    if (isUser && name === 'internal_login') return true;
    const user = isUser
      ? await users.byId(subject.tenant, subject.id)
      : subject.type === 'application'
        ? await users.find(client.tenant, client.owner)
        : undefined;
    const roles = user ? await users.roles(user) : [];
    return roles.some((role) => role.toLowerCase() === adminRole.toLowerCase());
  };

  return {
    ...store,
    validators,
    async grant(request) {
      const { client, tenant, subject } = request;
      const wanted = request.wanted.length === 0 ? defaults : request.wanted;
      if (wanted.length === 0) return wanted;
      const registered = await store.registered(tenant);
      const granted: string[] = [];
      const validated: string[] = [];
      let roles: ReadonlySet<string> | undefined;
      for (const name of wanted) {
        if (oidcScopes.has(name)) {
          if (request.allowsIdToken) granted.push(name);
          continue;
        }
        if (isAllowed(name)) {
          granted.push(name);
          continue;
        }
        const needed = registered.get(name)?.roles ?? [];
        if (needed.length === 0 && administrative.test(name)) {
          if (await mayAdminister(request, name)) granted.push(name);
          continue;
        }
        // Whatever the validators of a client are, its users become administrators by their roles alone.
        if (needed.length > 0 && (checksRoles(client) || administrative.test(name))) {
          roles ??= await rolesOf(request);
          const has = needed.some((role) => roles?.has(role.toLowerCase()));
          if (!has) throw new OAuthError('invalid_scope', `The scope "${name}" is not allowed for this user`);
        }
        granted.push(name);
        validated.push(name);
      }
      if (validated.length > 0) {
        await validators.validate(client.scopeValidators, { tenant, client, subject, scopes: validated });
      }
      return granted;
    },
  };
}
