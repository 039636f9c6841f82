import { getLogger, type Audit } from '#core';
import type { Tenant } from '../tenants/tenant.ts';
import { resolveUserName, type NameRules } from '../oauth/user-name.ts';
import type { SignIn, User, Users } from '../users/users.ts';
import type { Backoff } from './backoff.ts';

const log = getLogger('identity');

/** Passwords that are checked at the same time; more than that are told to come again. */
const mostAtOnce = 16;

export interface SignInAttempt {
  readonly username: string;
  readonly password: string;
  /** Tenant of the application that the user wants to use. */
  readonly tenant: Tenant;
  /** Whether the application takes users of other tenants. */
  readonly takesStrangers: boolean;
  /** Undefined for the server of a client that has proved who it is: it speaks for all of its users. */
  readonly address: string | undefined;
}

export type SignInOutcome =
  | { readonly user: User }
  | { readonly failure: 'refused' | 'unavailable' }
  | { readonly failure: 'wait'; readonly milliseconds: number };

export interface SignInParts extends NameRules {
  readonly users: Users;
  readonly backoff: Backoff;
  readonly audit: Audit;
}

/** Checks what the login form brought. Nothing of the outcome tells an unknown name from a wrong password (I17). */
export function createSignIn(parts: SignInParts): (attempt: SignInAttempt) => Promise<SignInOutcome> {
  let running = 0;
  return async (attempt) => {
    const { username, password, tenant, takesStrangers, address } = attempt;
    const { audit } = parts;
    const event = { actor: username.slice(0, 100), tenant: tenant.domain, action: 'login', target: 'user' } as const;
    const ofUser = [`user:${tenant.id}/${username.toLowerCase()}`];
    const ofAddress = address === undefined ? [] : [`address:${address}`];
    const milliseconds = parts.backoff.wait([...ofUser, ...ofAddress]);
    if (milliseconds > 0) return { failure: 'wait', milliseconds };
    if (address !== undefined && running >= mostAtOnce) return { failure: 'wait', milliseconds: 1000 };
    running++;
    // Counted as failed until it succeeds, so that attempts at the same time cannot all be the free one.
    parts.backoff.failed(ofUser);
    try {
      const resolved = await resolveUserName(username, tenant, parts);
      const isForeign = resolved !== undefined && resolved.tenant.id !== tenant.id && !takesStrangers;
      const { user, failure }: SignIn =
        resolved && !isForeign
          ? await parts.users.signIn(resolved.tenant, resolved.name, password)
          : { failure: 'unknown' };
      if (user) {
        // An address stays under suspicion: whoever has one account could clear it for attempts on others.
        parts.backoff.succeeded(ofUser);
        audit.record({ ...event, outcome: 'success', detail: { user: user.id, address } });
        log.info({ user: user.id, tenant: user.tenant.domain, address }, 'a user signed in');
        return { user };
      }
      parts.backoff.failed(ofAddress);
      audit.record({ ...event, outcome: 'failure', detail: { address, failure } });
      log.info({ tenant: tenant.domain, address, failure }, 'a sign-in failed');
      return { failure: failure === 'unavailable' ? 'unavailable' : 'refused' };
    } finally {
      running--;
    }
  };
}
