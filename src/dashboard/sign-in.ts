import { createHash, timingSafeEqual } from 'node:crypto';
import { createBackoff, type Clock } from '#core';
import { MillraceError } from '#errors';
import { RestError } from '#rest';
import type { Approvals } from './approvals.ts';
import type { Connections } from './connections.ts';
import { signIn, type RuntimeAccount } from './node-client.ts';
import type { Registry } from './registry.ts';
import type { ConsoleUser } from './sessions.ts';
import type { FileUser } from './settings.ts';

export interface SignInParts {
  readonly users: readonly FileUser[];
  /** The account with which runtimes are read; who knows it is an administrator. */
  readonly account: RuntimeAccount | undefined;
  readonly registry: Registry;
  readonly approvals: Approvals;
  readonly connections: Connections;
  readonly clock: Clock;
}

/** Checks a name and a password. */
export type SignIn = (name: string, password: string, address: string) => Promise<ConsoleUser>;

/**
 * Makes the check: users of the dashboard's file, its runtime account, then the user store of an approved runtime
 * (management 3.1). Failures make the name and the address wait.
 *
 * @throws RestError 401 for wrong credentials, 429 with `Retry-After`, 503 when no runtime could be asked
 */
export function createSignIn(parts: SignInParts): SignIn {
  const backoff = createBackoff({ free: 5, base: 1000, maximum: 60_000, keys: 10_000 }, parts.clock);
  return async (name, password, address) => {
    const keys = [`user:${name}`, `address:${address}`];
    const wait = Math.max(...keys.map((key) => backoff.delay(key)));
    if (wait > 0) throw tooMany(wait);
    const user = ownUser(parts, name, password) ?? (await runtimeUser(parts, name, password));
    for (const key of keys) {
      if (user) backoff.succeed(key);
      else backoff.fail(key);
    }
    if (user) return user;
    throw new RestError({ code: 'MR_DASHBOARD_SIGN_IN', status: 401, message: 'Unknown user or wrong password' });
  };
}

function ownUser({ users, account }: SignInParts, name: string, password: string): ConsoleUser | undefined {
  const known = [...users, ...(account ? [{ name: account.username, password: account.password, isAdmin: true }] : [])];
  let found: ConsoleUser | undefined;
  for (const user of known) {
    // Every entry is compared, so that the time of an answer says nothing.
    const fits = equals(user.password, password);
    if (equals(user.name, name) && fits && !found) found = { name, isAdmin: user.isAdmin, by: 'password' };
  }
  return found;
}

async function runtimeUser(parts: SignInParts, name: string, password: string): Promise<ConsoleUser | undefined> {
  const { registry, approvals, connections } = parts;
  const nodes = registry
    .nodes()
    .filter((node) => registry.health(node) !== 'lost' && approvals.find(new URL(node.managementUrl).origin));
  let unreachable: unknown;
  for (const node of nodes) {
    try {
      const call = await connections.caller(node.managementUrl);
      const { isAdmin } = await signIn(node.managementUrl, call, { username: name, password });
      return { name, isAdmin, by: 'password' };
    } catch (error) {
      if (error instanceof MillraceError && error.status === 401) return undefined;
      unreachable = error;
    }
  }
  if (unreachable === undefined) return undefined;
  throw new RestError({
    code: 'MR_DASHBOARD_NO_RUNTIME',
    status: 503,
    message: 'No runtime can be reached to check the password',
    cause: unreachable,
  });
}

function tooMany(milliseconds: number): RestError {
  const seconds = Math.ceil(milliseconds / 1000);
  return new RestError({
    code: 'MR_DASHBOARD_TOO_MANY',
    status: 429,
    message: `Too many failures; try again in ${seconds} s`,
    headers: { 'Retry-After': String(seconds) },
  });
}

function equals(left: string, right: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(left), hash(right));
}
