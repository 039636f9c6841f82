import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { systemClock } from '#core';
import { MillraceError, messageOf } from '#errors';
import type { HeaderList } from '#message';
import { ask, createHttpSender, type HttpSender } from '#transport';

/** A server that somebody signed in to. */
export interface Session {
  /** Base address of the management API's port, such as `https://localhost:9164`. */
  readonly url: string;
  readonly user: string;
  readonly token: string;
  /** File of certificates that are trusted besides those of the system. */
  readonly ca?: string | undefined;
  /** True when the certificate of the server is not checked. */
  readonly insecure?: boolean | undefined;
}

interface Sessions {
  readonly current?: string;
  readonly servers: Readonly<Record<string, Session>>;
}

/** What a server answered. */
export interface ManagementAnswer {
  readonly status: number;
  readonly text: string;
  readonly bytes: Uint8Array;
}

export interface ManagementRequest {
  readonly method: string;
  /** Below `/management`, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** A server may think for a minute, and archives are long. */
const limits = { clock: systemClock, patience: 60_000, size: 256 * 1024 * 1024 } as const;

/** The file that keeps the sessions of this user; only the user can read it. */
export function sessionsFile(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const base = environment['XDG_CONFIG_HOME'] ?? join(environment['HOME'] ?? homedir(), '.config');
  return join(base, 'millrace', 'sessions.json');
}

function readSessions(): Sessions {
  const file = sessionsFile();
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Sessions) : { servers: {} };
}

/** Keeps a session and makes it the one that commands use when they name none. */
export function keepSession(name: string, session: Session): void {
  const file = sessionsFile();
  const { servers } = readSessions();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify({ current: name, servers: { ...servers, [name]: session } }, null, 2)}\n`, {
    mode: 0o600,
  });
  chmodSync(file, 0o600);
}

/** The session of a name, or the latest one. @throws MillraceError when there is none */
export function findSession(name: string | undefined): { readonly name: string; readonly session: Session } {
  const { current, servers } = readSessions();
  const wanted = name ?? current;
  const session = wanted !== undefined && Object.hasOwn(servers, wanted) ? servers[wanted] : undefined;
  if (wanted !== undefined && session) return { name: wanted, session };
  const known = Object.keys(servers);
  const what = known.length === 0 ? 'no server' : known.join(', ');
  throw new MillraceError({
    code: 'MR_CLI_SESSION',
    message: `You are signed in to ${what}${wanted === undefined ? '' : `, not to "${wanted}"`}; see millrace login --help`,
  });
}

/** Sends one request to a management API. @throws MillraceError when the server cannot be reached */
export async function sendManagement(
  { url, ca, insecure = false }: Pick<Session, 'url' | 'ca' | 'insecure'>,
  request: ManagementRequest,
): Promise<ManagementAnswer> {
  const trusted = ca === undefined ? {} : { ca: [readFileSync(ca, 'utf8')] };
  await using sender = createHttpSender({
    tls: { ...trusted, acceptsAnyCertificate: insecure, ...(insecure && { verifier: 'allow-all' as const }) },
  });
  try {
    return await send(sender, url, request);
  } catch (error) {
    const reason = messageOf(error instanceof Error && error.cause !== undefined ? error.cause : error);
    const hint = /self.signed|certificate|verify/i.test(reason)
      ? '; name its certificate by --ca, or use --insecure'
      : '';
    throw new MillraceError({
      code: 'MR_CLI_UNREACHABLE',
      message: `${url} cannot be reached: ${reason}${hint}`,
      cause: error,
    });
  }
}

function send(sender: HttpSender, url: string, request: ManagementRequest): Promise<ManagementAnswer> {
  const { method, path, body } = request;
  const headers: HeaderList = Object.entries({ Accept: 'application/json', ...request.headers }).flat();
  const sent = body === undefined ? null : Buffer.from(body);
  return ask(sender, { url: `${new URL(url).origin}/management${path}`, method, headers, body: sent }, limits);
}

/** Calls as the user of a session. @throws MillraceError for an answer of 400 and above, with what the server said */
export async function callManagement(name: string | undefined, request: ManagementRequest): Promise<ManagementAnswer> {
  const found = findSession(name);
  const headers = { ...request.headers, Authorization: `Bearer ${found.session.token}` };
  const answer = await sendManagement(found.session, { ...request, headers });
  if (answer.status < 400) return answer;
  const fallback: Readonly<Record<number, string>> = {
    401: `the session at ${found.session.url} has ended; sign in again by millrace login`,
    403: `${found.session.user} may not do this`,
    404: 'there is no such thing',
  };
  const said = errorOf(answer.text) ?? fallback[answer.status] ?? `the server answered ${answer.status}`;
  throw new MillraceError({ code: 'MR_CLI_REFUSED', status: answer.status, message: said });
}

/** Calls and reads the JSON of the answer. */
export async function readManagement(name: string | undefined, path: string): Promise<unknown> {
  const { text } = await callManagement(name, { method: 'GET', path });
  return text === '' ? undefined : JSON.parse(text);
}

/** Sends JSON and gives the text of the server's answer. */
export async function changeManagement(
  name: string | undefined,
  { method = 'POST', path, body }: { readonly method?: string; readonly path: string; readonly body?: unknown },
): Promise<string> {
  const { text } = await callManagement(name, {
    method,
    path,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  if (text === '') return 'done';
  const answer = JSON.parse(text) as { readonly Message?: string; readonly message?: string };
  return answer.Message ?? answer.message ?? text;
}

function errorOf(text: string): string | undefined {
  try {
    const { Error: capital, error } = JSON.parse(text) as { Error?: string; error?: string };
    return capital ?? error;
  } catch {
    // An answer that is no JSON, such as an empty one, says nothing more than its status.
    return undefined;
  }
}
