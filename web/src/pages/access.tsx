import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { ApiError, ask, attempt, nodePath, useResource, type ListOf, type NodeFacts, type User } from '../api.ts';
import { Confirmed } from '../confirmed.tsx';
import { DataTable, type Column } from '../data-table.tsx';
import { setSearch, usePlace } from '../location.tsx';
import { OfNode } from '../of-node.tsx';
import { Empty, Loaded } from '../parts.tsx';
import { Tabs } from '../tabs.tsx';

export function AccessPage({ user }: { user: User }) {
  const tab = usePlace().search.get('tab') ?? 'users';
  return (
    <OfNode title="Access">
      {(node) => (
        <>
          <p>
            You are <strong>{user.name}</strong>, {user.isAdmin ? 'an administrator' : 'not an administrator'}, signed
            in {user.by === 'sso' ? 'by single sign-on' : 'with a password'}.
          </p>
          {user.isAdmin ? (
            <>
              <Tabs tab={tab} names={['users', 'roles', 'sso']} />
              {tab === 'roles' ? <Roles node={node} /> : tab === 'sso' ? <SsoHelp /> : <Users node={node} />}
            </>
          ) : (
            <Empty>Only administrators see users and roles.</Empty>
          )}
        </>
      )}
    </OfNode>
  );
}

/** Does what changes something, then reads anew; says what went wrong. */
function useChange(reload: () => void): readonly [change: (work: Promise<unknown>) => void, problem: ReactNode] {
  const [problem, setProblem] = useState<string>();
  const change = (work: Promise<unknown>): void => {
    const done = (): void => {
      setProblem(undefined);
      reload();
    };
    void attempt(work, done, setProblem);
  };
  const shown = problem !== undefined && (
    <div className="note bad" role="alert">
      {problem}
    </div>
  );
  return [change, shown];
}

/** The path of a user or role; the domain of its store goes into the query, as `PARTNERS/grace` is listed. */
function qualifiedPath(kind: 'users' | 'roles', name: string): string {
  const slash = name.indexOf('/');
  if (slash < 0) return `${kind}/${encodeURIComponent(name)}`;
  const domain = encodeURIComponent(name.slice(0, slash));
  return `${kind}/${encodeURIComponent(name.slice(slash + 1))}?domain=${domain}`;
}

interface UserRow {
  readonly userId: string;
}

function Users({ node }: { node: NodeFacts }) {
  const { search } = usePlace();
  const users = useResource<ListOf<UserRow>>(nodePath(node, 'users'), 60);
  const [change, problem] = useChange(users.reload);
  const [opened, open] = useState<string>();
  const word = (search.get('q') ?? '').toLowerCase();
  if (users.error instanceof ApiError && users.error.status === 403)
    return <Empty>{users.error.message}: its users are those of its deployment.toml.</Empty>;
  const columns: readonly Column<UserRow>[] = [
    {
      name: 'name',
      title: 'User',
      sortBy: ({ userId }) => userId,
      cell: ({ userId }) => (
        <button className="link" onClick={() => open(userId)}>
          {userId}
        </button>
      ),
    },
    {
      name: 'actions',
      title: 'Actions',
      cell: ({ userId }) => (
        <Confirmed
          title={`Delete ${userId}`}
          consequence={`${userId} cannot sign in to ${node.id} any more.`}
          onConfirm={() => change(ask('DELETE', nodePath(node, qualifiedPath('users', userId))))}
        />
      ),
    },
  ];
  const add = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const domain = form.get('domain');
    const body = {
      userId: form.get('userId'),
      // Without one the user is of the primary store.
      ...(domain !== '' && { domain }),
      password: form.get('password'),
      isAdmin: form.get('isAdmin') === 'on',
    };
    change(ask('POST', nodePath(node, 'users'), body));
    event.currentTarget.reset();
  };
  return (
    <>
      {problem}
      <form className="bar" onSubmit={add}>
        <input name="userId" aria-label="Name of the new user" placeholder="Name" required />
        <input
          name="password"
          type="password"
          aria-label="Password of the new user"
          placeholder="Password"
          required
          autoComplete="new-password"
        />
        <input name="domain" aria-label="Domain of the new user" placeholder="Domain, if not primary" />
        <label>
          <input name="isAdmin" type="checkbox" className="small" /> administrator
        </label>
        <button>Add user</button>
      </form>
      <Loaded resource={users}>
        {({ list }) => (
          <>
            <div className="bar">
              <input
                type="search"
                placeholder="Filter users"
                aria-label="Filter users"
                value={search.get('q') ?? ''}
                onChange={(event) => setSearch('q', event.target.value)}
              />
              <span className="quiet">{list.length} users</span>
            </div>
            <DataTable
              label="Users"
              columns={columns}
              rows={list.filter(({ userId }) => userId.toLowerCase().includes(word))}
              rowKey={({ userId }) => userId}
              onOpen={({ userId }) => open(userId)}
              onPeek={({ userId }) => open(userId)}
            />
          </>
        )}
      </Loaded>
      {opened !== undefined && <OneUser node={node} name={opened} onClose={() => open(undefined)} />}
    </>
  );
}

/** Roles and password of one user. */
function OneUser({ node, name, onClose }: { node: NodeFacts; name: string; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const path = nodePath(node, qualifiedPath('users', name));
  const user = useResource<{ isAdmin: boolean; roles: readonly string[] }>(path, 3600);
  const roles = useResource<ListOf<{ role: string }>>(nodePath(node, 'roles'), 3600);
  const [change, problem] = useChange(user.reload);
  useEffect(() => dialog.current?.showModal(), []);
  const setRole = (role: string, isOn: boolean): void =>
    change(
      ask('PUT', nodePath(node, 'roles'), {
        userId: name,
        addedRoles: isOn ? [role] : [],
        removedRoles: isOn ? [] : [role],
      }),
    );
  const setPassword = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const body = { newPassword: form.get('new'), confirmPassword: form.get('again'), oldPassword: form.get('old') };
    change(ask('PATCH', path, body));
    event.currentTarget.reset();
  };
  return (
    <dialog ref={dialog} className="peek" onClose={onClose} aria-label={`User ${name}`}>
      <h2>{name}</h2>
      {problem}
      <Loaded resource={user}>
        {({ isAdmin, roles: own }) => (
          <>
            <p>{isAdmin ? 'An administrator.' : 'No administrator.'}</p>
            <fieldset>
              <legend>Roles</legend>
              {[...new Set([...own, ...(roles.data?.list ?? []).map(({ role }) => role)])].map((role) => (
                <label key={role} className="check">
                  <input
                    type="checkbox"
                    checked={own.includes(role)}
                    onChange={(event) => setRole(role, event.target.checked)}
                  />{' '}
                  {role}
                </label>
              ))}
            </fieldset>
          </>
        )}
      </Loaded>
      <form onSubmit={setPassword}>
        <fieldset>
          <legend>Password</legend>
          <label>
            Old, for your own
            <input name="old" type="password" autoComplete="current-password" />
          </label>
          <label>
            New
            <input name="new" type="password" autoComplete="new-password" required />
          </label>
          <label>
            New, once more
            <input name="again" type="password" autoComplete="new-password" required />
          </label>
          <button>Change password</button>
        </fieldset>
      </form>
      <button onClick={() => dialog.current?.close()}>Close</button>
    </dialog>
  );
}

interface RoleRow {
  readonly role: string;
}

function Roles({ node }: { node: NodeFacts }) {
  const roles = useResource<ListOf<RoleRow>>(nodePath(node, 'roles'), 60);
  const [change, problem] = useChange(roles.reload);
  if (roles.error instanceof ApiError && roles.error.status === 403)
    return <Empty>{roles.error.message}: its users are those of its deployment.toml.</Empty>;
  const columns: readonly Column<RoleRow>[] = [
    { name: 'role', title: 'Role', sortBy: ({ role }) => role, cell: ({ role }) => role },
    { name: 'users', title: 'Users', cell: ({ role }) => <UsersOf key={role} node={node} role={role} /> },
    {
      name: 'actions',
      title: 'Actions',
      cell: ({ role }) => (
        <Confirmed
          title={`Delete ${role}`}
          consequence={`Whoever has the role ${role} loses what it permits.`}
          onConfirm={() => change(ask('DELETE', nodePath(node, qualifiedPath('roles', role))))}
        />
      ),
    },
  ];
  return (
    <>
      {problem}
      <form
        className="bar"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          change(ask('POST', nodePath(node, 'roles'), { role: form.get('role') }));
          event.currentTarget.reset();
        }}
      >
        <input name="role" aria-label="Name of the new role" placeholder="Role" required />
        <button>Add role</button>
      </form>
      <Loaded resource={roles}>
        {({ list }) => <DataTable label="Roles" columns={columns} rows={list} rowKey={({ role }) => role} />}
      </Loaded>
    </>
  );
}

/** Who has a role, when somebody asks. */
function UsersOf({ node, role }: { node: NodeFacts; role: string }) {
  const [isAsked, askFor] = useState(false);
  const facts = useResource<{ users: readonly string[] }>(
    isAsked ? nodePath(node, qualifiedPath('roles', role)) : undefined,
    3600,
  );
  if (!isAsked) return <button onClick={() => askFor(true)}>Show users of {role}</button>;
  if (facts.error) return facts.error.message;
  return facts.data ? facts.data.users.join(', ') || 'nobody' : '…';
}

function SsoHelp() {
  return (
    <Empty
      snippet={`[sso]
enable = true
client_id = "<id of this dashboard at the provider>"
base_url = "https://idp.example.com"
jwt_issuer = "https://idp.example.com/oauth2/token"
sign_in_redirect_URL = "${location.origin}/sso"
sign_out_redirect_URL = "${location.origin}"
resource_server_URLs = ["${location.origin}"]
admin_group_attribute = "groups"
admin_groups = ["admin"]`}
    >
      Single sign-on with OpenID Connect is set in the dashboard's deployment.toml:
    </Empty>
  );
}
