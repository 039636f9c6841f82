import { useState } from 'react';
import { ApiError, ask, attempt, nodePath, useResource, type ListOf, type NodeFacts, type User } from '../api.ts';
import { usePlace } from '../location.tsx';
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

function Users({ node }: { node: NodeFacts }) {
  const users = useResource<ListOf<{ userId: string }>>(nodePath(node, 'users'), 60);
  const [problem, setProblem] = useState<string>();
  const run = (work: Promise<unknown>): void => {
    const done = (): void => {
      setProblem(undefined);
      users.reload();
    };
    void attempt(work, done, setProblem);
  };
  if (users.error instanceof ApiError && users.error.status === 403) return <Empty>{users.error.message}.</Empty>;
  return (
    <>
      {problem !== undefined && (
        <div className="note bad" role="alert">
          {problem}
        </div>
      )}
      <form
        className="bar"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const body = {
            userId: form.get('userId'),
            password: form.get('password'),
            isAdmin: form.get('isAdmin') === 'on',
          };
          run(ask('POST', nodePath(node, 'users'), body));
          event.currentTarget.reset();
        }}
      >
        <input name="userId" aria-label="Name of the new user" placeholder="Name" required />
        <input
          name="password"
          type="password"
          aria-label="Password of the new user"
          placeholder="Password"
          required
          autoComplete="new-password"
        />
        <label>
          <input name="isAdmin" type="checkbox" /> administrator
        </label>
        <button>Add user</button>
      </form>
      <Loaded resource={users}>
        {({ list }) => (
          <Names
            label="Users"
            names={list.map(({ userId }) => userId)}
            onDelete={(name) => run(ask('DELETE', nodePath(node, `users/${encodeURIComponent(name)}`)))}
          />
        )}
      </Loaded>
    </>
  );
}

function Roles({ node }: { node: NodeFacts }) {
  const roles = useResource<ListOf<{ role: string }>>(nodePath(node, 'roles'), 60);
  const [problem, setProblem] = useState<string>();
  const run = (work: Promise<unknown>): void => {
    void attempt(work, roles.reload, setProblem);
  };
  if (roles.error instanceof ApiError && roles.error.status === 403) return <Empty>{roles.error.message}.</Empty>;
  return (
    <>
      {problem !== undefined && (
        <div className="note bad" role="alert">
          {problem}
        </div>
      )}
      <form
        className="bar"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          run(ask('POST', nodePath(node, 'roles'), { role: form.get('role') }));
          event.currentTarget.reset();
        }}
      >
        <input name="role" aria-label="Name of the new role" placeholder="Role" required />
        <button>Add role</button>
      </form>
      <Loaded resource={roles}>
        {({ list }) => (
          <Names
            label="Roles"
            names={list.map(({ role }) => role)}
            onDelete={(name) => run(ask('DELETE', nodePath(node, `roles/${encodeURIComponent(name)}`)))}
          />
        )}
      </Loaded>
    </>
  );
}

/** Names that can be deleted after a second click. */
function Names({
  label,
  names,
  onDelete,
}: {
  label: string;
  names: readonly string[];
  onDelete: (name: string) => void;
}) {
  const [asked, ask] = useState<string>();
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            <th>{label}</th>
            <th>Actions</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name}>
              <td>{name}</td>
              <td>
                {asked === name ? (
                  <button
                    className="danger"
                    onClick={() => {
                      ask(undefined);
                      onDelete(name);
                    }}
                  >
                    Delete {name} for good
                  </button>
                ) : (
                  <button onClick={() => ask(name)}>Delete {name}</button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
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
