/** A user as the management API shows it. */
export interface ManagedUser {
  readonly userId: string;
  readonly isAdmin: boolean;
  readonly roles: readonly string[];
}

/** Users and roles of the server's user store, as far as the management API works with them. */
export interface UserDirectory {
  /** Names that fit a pattern with `*`. */
  list(pattern: string, role: string | undefined): Promise<readonly string[]>;
  find(name: string): Promise<ManagedUser | undefined>;
  create(user: { readonly name: string; readonly password: string; readonly isAdmin: boolean }): Promise<void>;
  checkPassword(name: string, password: string): Promise<boolean>;
  setPassword(name: string, password: string): Promise<void>;
  delete(name: string): Promise<void>;
  roles(): Promise<readonly string[]>;
  usersOf(role: string): Promise<readonly string[] | undefined>;
  createRole(role: string): Promise<void>;
  deleteRole(role: string): Promise<void>;
  setRoles(
    name: string,
    change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  ): Promise<void>;
  /** The account that no other may change. */
  readonly superAdmin: string;
  readonly adminRole: string;
}
