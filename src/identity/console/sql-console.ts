import { databaseConfiguration, type Config } from '#config';
import type { Audit, Clock } from '#core';
import { browseEmbedded, type BrowseResult } from '#db';
import { messageOf } from '#errors';
import { getHeader } from '#message';
import type { Html } from '#rest';
import { emptyAnswer, type Endpoint, type EndpointAnswer, type EndpointRequest } from '../http/endpoint.ts';
import type { Parameters } from '../http/parameters.ts';
import { knowBrowser, leadTo, parametersOfRequest, sessionOf } from '../oauth/browser-request.ts';
import { pageAnswer } from '../pages/page.ts';
import { sqlConsolePath, sqlLoginPage, sqlPage } from '../pages/sql-page.ts';
import { fill, texts } from '../pages/texts.ts';
import { setSession } from '../sessions/cookies.ts';
import type { Session, Sessions } from '../sessions/session.ts';
import type { SignInAttempt, SignInOutcome } from '../sessions/sign-in.ts';
import { formToken, isFormToken } from '../sessions/waiting-requests.ts';
import { isSuperTenant, superTenant } from '../tenants/tenant.ts';
import type { User, Users } from '../users/users.ts';

export interface SqlConsoleParts {
  readonly config: Config;
  /** The file of the embedded database; undefined for another database, which has tools of its own. */
  readonly file: string | undefined;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly signIn: (attempt: SignInAttempt) => Promise<SignInOutcome>;
  readonly adminRole: string;
  readonly audit: Audit;
  readonly clock: Clock;
}

/** Milliseconds since a sign-in after which the page asks for another one. */
const longestSession = 15 * 60_000;
const timeLimit = 5000;
const rowLimit = 500;

/** Columns of secrets, encrypted and hashed ones included: they are nothing to look at. */
const hidden = ['password', 'private_key', 'stored', 'access_value', 'refresh_value'] as const;

const tablesSql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";

/**
 * The page on which administrators of the super tenant read the embedded database
 * (`database_configuration.enable_h2_console`): for browsers on this machine only, and without any statement that
 * writes. Nothing where it is off, and for other databases.
 */
export function sqlConsoleEndpoints(parts: SqlConsoleParts): readonly Endpoint[] {
  const { config, file } = parts;
  if (!config.get(databaseConfiguration.enableH2Console) || file === undefined) return [];
  return [
    {
      path: sqlConsolePath,
      methods: ['GET', 'POST'],
      async handle(request) {
        if (!isFromHere(request)) return emptyAnswer(404);
        const parameters = parametersOfRequest(request);
        const browser = knowBrowser(request);
        const token = formToken(browser.id, 'sql');
        const show = (page: Html, status = 200): EndpointAnswer =>
          pageAnswer(page, { status, headers: browser.cookies });
        const isOurs = request.method === 'GET' || isFormToken(parameters.get('formToken'), browser.id, 'sql');
        const session = await sessionOf(request, parts);
        if (!session || !(await isAllowed(session, parts))) {
          if (!isOurs) return show(sqlLoginPage({ token, problem: texts.sql.form }), 403);
          return request.method === 'GET' || !parameters.has('username')
            ? show(sqlLoginPage({ token, problem: undefined }))
            : signIn(request, parameters, { parts, show, token });
        }
        const tables = (await run(file, tablesSql)).rows.flat();
        const table = tables.find((name) => name === parameters.get('table'));
        const proposed = table === undefined ? '' : `SELECT * FROM ${table} LIMIT 50`;
        const statement = parameters.get('statement') ?? proposed;
        const page = { token, statement, tables, problem: undefined, result: undefined };
        if (!isOurs) return show(sqlPage({ ...page, problem: texts.sql.form }), 403);
        if (request.method === 'GET' || statement.trim() === '') return show(sqlPage(page));
        const outcome = await audited(session, statement, { parts, file, request });
        return 'problem' in outcome
          ? show(sqlPage({ ...page, problem: outcome.problem }), 400)
          : show(sqlPage({ ...page, result: outcome }));
      },
    },
  ];
}

/** Addresses of this machine of IPv4. */
const loopback = /^127(?:\.\d{1,3}){3}$/;

/**
 * Whether the browser is on this machine: its address, no proxy that speaks for others, a name that no other site can
 * point here (DNS rebinding), and TLS, without which no cookie comes back.
 */
function isFromHere({ peer, headers, origin, namesTenant }: EndpointRequest): boolean {
  const address = peer.address.replace(/^::ffff:/i, '');
  const isLoopback = address === '::1' || loopback.test(address);
  const isProxied = ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via'].some(
    (name) => getHeader(headers, name) !== undefined,
  );
  const { protocol, hostname } = new URL(origin);
  const namesThis = hostname === 'localhost' || hostname === '[::1]' || loopback.test(hostname);
  return isLoopback && !isProxied && namesThis && protocol === 'https:' && !namesTenant;
}

async function isAllowed({ user, authenticatedAt }: Session, parts: SqlConsoleParts): Promise<boolean> {
  return parts.clock.now() - authenticatedAt < longestSession && (await isSuperAdmin(user, parts));
}

async function isSuperAdmin(user: User, { users, adminRole }: SqlConsoleParts): Promise<boolean> {
  if (!isSuperTenant(user.tenant) || (await users.isBlocked(user))) return false;
  return (await users.roles(user)).some((role) => role.toLowerCase() === adminRole.toLowerCase());
}

interface Showing {
  readonly parts: SqlConsoleParts;
  readonly show: (page: Html, status?: number) => EndpointAnswer;
  readonly token: string;
}

async function signIn(
  request: EndpointRequest,
  parameters: Parameters,
  { parts, show, token }: Showing,
): Promise<EndpointAnswer> {
  const outcome = await parts.signIn({
    username: parameters.get('username')?.trim() ?? '',
    password: parameters.get('password') ?? '',
    tenant: superTenant,
    takesStrangers: false,
    address: request.peer.address,
  });
  if ('user' in outcome && (await isSuperAdmin(outcome.user, parts))) {
    const start = { isRemembered: false, methods: ['pwd'] };
    const { session, secret } = await parts.sessions.begin(outcome.user, start);
    return leadTo(request, sqlConsolePath, setSession(session, secret));
  }
  const isWaiting = 'failure' in outcome && outcome.failure === 'wait';
  const seconds = isWaiting ? String(Math.ceil(outcome.milliseconds / 1000)) : '';
  const problem = isWaiting ? fill(texts.login.wait, { seconds }) : texts.login.failed;
  return show(sqlLoginPage({ token, problem }), isWaiting ? 429 : 401);
}

interface Asked {
  readonly parts: SqlConsoleParts;
  readonly file: string;
  readonly request: EndpointRequest;
}

async function audited(
  { user }: Session,
  statement: string,
  { parts, file, request }: Asked,
): Promise<BrowseResult | { readonly problem: string }> {
  const record = (outcome: 'success' | 'failure', detail: Readonly<Record<string, unknown>>): void =>
    parts.audit.record({
      actor: user.name,
      tenant: user.tenant.domain,
      action: 'read',
      target: 'embedded database',
      outcome,
      detail: { statement: statement.slice(0, 500), address: request.peer.address, ...detail },
    });
  try {
    const result = await run(file, statement);
    record('success', { rows: result.rows.length });
    return result;
  } catch (error) {
    const problem = messageOf(error);
    record('failure', { problem });
    return { problem };
  }
}

function run(path: string, sql: string): Promise<BrowseResult> {
  return browseEmbedded({ path, sql, rowLimit, hidden }, timeLimit);
}
