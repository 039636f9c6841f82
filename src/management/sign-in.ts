import type { Clock } from '#core';
import { jsonResponse, defineOperation, RestError, type Connection, type Operation, type Principal } from '#rest';
import type { Accounts } from './accounts.ts';
import { emptyResponse, refusal } from './conventions.ts';
import { principalOf, type Account, type PermissionSettings } from './permissions.ts';
import type { Tokens } from './tokens.ts';

export interface SignInParts extends PermissionSettings {
  readonly accounts: Accounts;
  /** Undefined when callers need no token. */
  readonly tokens: Tokens | undefined;
  /** True when every call carries name and password instead of a token. */
  readonly isBasic: boolean;
  readonly clock: Clock;
  /** Who calls with a token of the control plane; absent where this runtime reports to none. */
  readonly controlPlane?: ((token: string) => string | undefined) | undefined;
}

export interface SignIn {
  readonly operations: readonly Operation[];
  /** Who calls; undefined without credentials. @throws RestError 401 for wrong ones, 429 after too many of them */
  authenticate(request: Request, connection: Connection | undefined): Promise<Principal | undefined>;
}

/** Anybody may do anything where the configuration switched every handler off (management 1.3, A6). */
const anybody: Principal = { name: 'anonymous', tenant: 'carbon.super', hasScope: () => true };

const loginPath = '/management/login';

/** Makes what finds out who calls, and the operations that begin and end a session (management 1.2). */
export function createSignIn(parts: SignInParts): SignIn {
  const { accounts, tokens, isBasic } = parts;
  const gate = createGate(parts.clock);
  const signedIn = new WeakMap<Request, Account>();
  const asked = new WeakMap<Request, Promise<Principal | undefined>>();

  const byPassword = async (request: Request, connection: Connection | undefined): Promise<Account | undefined> => {
    const credentials = basicCredentials(request);
    if (!credentials) return undefined;
    const address = connection?.peer.address ?? '';
    gate.check(address);
    const account = await accounts.signIn(credentials.name, credentials.password);
    if (account) gate.passed(address);
    else gate.failed(address);
    return account;
  };

  /** The control plane may do what administrators may (management 1.2). */
  const ofControlPlane = (token: string | undefined): Account | undefined => {
    const name = token === undefined ? undefined : parts.controlPlane?.(token);
    return name === undefined ? undefined : { name, isAdmin: true };
  };

  const identify = async (request: Request, connection: Connection | undefined): Promise<Principal | undefined> => {
    const { pathname } = new URL(request.url);
    const usesPassword = isBasic || (tokens !== undefined && pathname === loginPath);
    if (!usesPassword && !tokens) return anybody;
    const token = bearerToken(request);
    const known = usesPassword || token === undefined ? undefined : await tokens?.find(token);
    const account =
      known ?? ofControlPlane(token) ?? (usesPassword ? await byPassword(request, connection) : undefined);
    if (!account) return undefined;
    signedIn.set(request, account);
    return principalOf(account, parts);
  };

  return {
    authenticate(request, connection) {
      const known = asked.get(request) ?? identify(request, connection);
      asked.set(request, known);
      return known;
    },
    operations: [
      defineOperation({
        id: 'login',
        method: 'GET',
        path: '/login',
        summary: 'Gives a token for the name and password of HTTP Basic',
        responses: { 200: { description: 'The token under AccessToken' } },
        scope: 'read',
        audit: 'login',
        actor: ({ request }) => basicCredentials(request)?.name,
        async handle({ request, url }) {
          const account = signedIn.get(request);
          if (!tokens || !account) throw refusal(500, 'The API takes no tokens; its token handler is off');
          return jsonResponse({ AccessToken: await tokens.issue(account, `${url.origin}/`) });
        },
      }),
      defineOperation({
        id: 'logout',
        method: 'GET',
        path: '/logout',
        summary: 'Ends the session of the token',
        responses: { 200: { description: 'The token is of no use any more' } },
        scope: 'read',
        audit: 'logout',
        async handle({ request }) {
          const token = bearerToken(request);
          if (!tokens || token === undefined) throw refusal(500, 'The API takes no tokens; its token handler is off');
          await tokens.revoke(token);
          return emptyResponse(200);
        },
      }),
    ],
  };
}

function bearerToken(request: Request): string | undefined {
  return /^Bearer\s+(\S+)$/i.exec(request.headers.get('Authorization') ?? '')?.[1];
}

/** The first colon divides: a password may have more of them. */
function basicCredentials(request: Request): { name: string; password: string } | undefined {
  const match = /^Basic\s+([A-Za-z0-9+/=]+)$/i.exec(request.headers.get('Authorization') ?? '');
  if (!match?.[1]) return undefined;
  const decoded = Buffer.from(match[1], 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return colon < 0 ? undefined : { name: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

/** Wrong passwords that an address may send before it has to wait, and for how long then. */
const allowedFailures = 10;
const addressLimit = 10_000;

interface Gate {
  check(address: string): void;
  failed(address: string): void;
  passed(address: string): void;
}

/** Makes those wait who try passwords: each further failure doubles the time. */
function createGate(clock: Clock): Gate {
  const addresses = new Map<string, { failures: number; until: number }>();
  return {
    check(address) {
      const wait = (addresses.get(address)?.until ?? 0) - clock.monotonic();
      if (wait <= 0) return;
      throw new RestError({
        code: 'MR_MANAGEMENT',
        status: 429,
        message: 'Too many wrong passwords; try again later',
        headers: { 'Retry-After': String(Math.ceil(wait / 1000)) },
      });
    },
    failed(address) {
      const failures = (addresses.get(address)?.failures ?? 0) + 1;
      const wait = failures < allowedFailures ? 0 : waitAfter(failures - allowedFailures);
      addresses.delete(address);
      addresses.set(address, { failures, until: clock.monotonic() + wait });
      const [oldest] = addresses.keys();
      if (addresses.size > addressLimit && oldest !== undefined) addresses.delete(oldest);
    },
    passed: (address) => void addresses.delete(address),
  };
}

/** Milliseconds after so many failures too many: one second, then twice as long each time, at most five minutes. */
function waitAfter(failures: number): number {
  return Math.min(1000 * 2 ** failures, 300_000);
}
