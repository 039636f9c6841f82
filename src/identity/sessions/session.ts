import type { Tenant } from '../tenants/tenant.ts';
import type { User } from '../users/users.ts';

/** A browser that is signed in; the cookie holds a random value, the store its hash (identity 2.2). */
export interface Session {
  /** Public identity, as `sid` shows it. */
  readonly id: string;
  /** Tenant of the user. */
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
  /** Value of the cookie `opbs`, from which `session_state` is made. */
  readonly browserState: string;
}

export interface SessionStart {
  readonly isRemembered: boolean;
  readonly methods: readonly string[];
  /** The session of the same user that this sign-in carries on: its clients stay, its cookie ends. */
  readonly continues?: Session;
}

export interface Sessions {
  begin(
    user: User,
    start: SessionStart,
  ): Promise<{
    readonly session: Session;
    /** Value of the cookie. */
    readonly secret: string;
  }>;
  /** The living session of a cookie; finding it makes it live on. */
  find(secret: string): Promise<Session | undefined>;
  /** A living session by its public identity. */
  byId(id: string): Promise<Session | undefined>;
  addClient(session: Session, clientId: string): Promise<void>;
  end(session: Session): Promise<void>;
  /** Ends all sessions of a user, as after a new password. */
  endAll(user: User): Promise<void>;
}
