import type { Tenant } from '../tenants/tenant.ts';
import type { User } from '../users/users.ts';

/** A browser that is signed in; the cookie holds a random value, the store its hash (identity 2.2). */
export interface Session {
  /** Public identity, as `sid` shows it. */
  readonly id: string;
  readonly tenant: Tenant;
  readonly user: User;
  /** Milliseconds since the epoch. */
  readonly authenticatedAt: number;
  readonly expires: number;
  readonly isRemembered: boolean;
  /** Methods of the sign-in, as `amr` shows them. */
  readonly methods: readonly string[];
  /** Clients that were signed in to, for logout. */
  readonly clients: readonly string[];
}

export interface Sessions {
  begin(
    user: User,
    options: { readonly isRemembered: boolean; readonly methods: readonly string[] },
  ): Promise<{
    readonly session: Session;
    /** Value of the cookie. */
    readonly secret: string;
  }>;
  find(tenant: Tenant, secret: string): Promise<Session | undefined>;
  addClient(session: Session, clientId: string): Promise<void>;
  end(session: Session): Promise<void>;
  /** Ends all sessions of a user, as after a new password. */
  endAll(user: User): Promise<void>;
}
