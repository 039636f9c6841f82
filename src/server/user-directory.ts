import type { Roles, Tenant, User, Users } from '#identity';
import type { ManagedUser, UserDirectory } from '#management';

/** Filled by the module that has the users; empty where a role has none. */
export interface UserDirectoryHolder {
  current: UserDirectory | undefined;
}

export interface UserDirectoryParts {
  readonly users: Users;
  readonly roles: Roles;
  readonly tenant: Tenant;
  readonly superAdmin: string;
  readonly adminRole: string;
}

/** The users and roles of the server as the management API works with them. */
export function createUserDirectory({
  users,
  roles,
  tenant,
  superAdmin,
  adminRole,
}: UserDirectoryParts): UserDirectory {
  const isAdminRole = (role: string): boolean => role.toLowerCase() === adminRole.toLowerCase();
  const nameOf = ({ name, storeDomain }: User): string => (storeDomain === 'PRIMARY' ? name : `${storeDomain}/${name}`);
  const existing = async (name: string): Promise<User> => {
    const user = await users.find(tenant, name);
    if (!user) throw new Error(`the user ${name} went away meanwhile`);
    return user;
  };
  const describe = async (user: User): Promise<ManagedUser> => {
    const own = await users.roles(user);
    return { userId: nameOf(user), isAdmin: own.some(isAdminRole), roles: own };
  };
  return {
    superAdmin,
    adminRole,
    async list(pattern, role) {
      const all = await users.list(tenant, { name: pattern, limit: Number.MAX_SAFE_INTEGER });
      const names = all.map(nameOf);
      if (role === undefined) return names;
      const held = await Promise.all(all.map((user) => users.roles(user)));
      return names.filter((_, index) => held[index]?.includes(role));
    },
    async find(name) {
      const user = await users.find(tenant, name);
      return user && describe(user);
    },
    async create({ name, password, isAdmin }) {
      await users.create(tenant, { name, password, roles: isAdmin ? [adminRole] : [] });
    },
    async checkPassword(name, password) {
      const { user } = await users.signIn(tenant, name, password);
      return user !== undefined;
    },
    setPassword: async (name, password) => users.setPassword(await existing(name), password),
    delete: async (name) => users.delete(await existing(name)),
    roles: () => roles.list(tenant),
    async usersOf(role) {
      if (!(await roles.exists(tenant, role))) return undefined;
      const all = await users.list(tenant, { limit: Number.MAX_SAFE_INTEGER });
      const held = await Promise.all(all.map((user) => users.roles(user)));
      return all.map(nameOf).filter((_, index) => held[index]?.includes(role));
    },
    createRole: (role) => roles.ensure(tenant, role),
    deleteRole: (role) => roles.delete(tenant, role),
    setRoles: async (name, change) => users.setRoles(await existing(name), change),
  };
}
