import { useCallback, useEffect, useRef, useState } from 'react';
import { announceChange, keepLoading } from './live.tsx';

/** A failure that the console's API told of, in its own words. */
export class ApiError extends Error {
  readonly status: number;
  readonly description: string | undefined;

  constructor(status: number, body: { message?: string; description?: string }) {
    super(body.message ?? `The dashboard answered with status ${status}`);
    this.status = status;
    this.description = body.description;
  }
}

export interface User {
  readonly name: string;
  readonly isAdmin: boolean;
  readonly by: 'password' | 'sso';
}

export interface Session {
  readonly user?: User;
  readonly csrfToken: string;
  readonly sso: boolean;
}

let csrfToken = '';
let signedOut = (): void => undefined;

/** What happens when the session has ended meanwhile. */
export function onSignedOut(action: () => void): void {
  signedOut = action;
}

export async function readSession(): Promise<Session> {
  const session = (await ask('GET', '/session')) as Session;
  csrfToken = session.csrfToken;
  return session;
}

export async function signIn(username: string, password: string): Promise<Session> {
  const session = (await ask('POST', '/session', { username, password })) as Session;
  csrfToken = session.csrfToken;
  return session;
}

/** Asks the console's API; JSON in and out. @throws ApiError */
export async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`/api/v1${path}`, {
    method,
    headers: {
      Accept: 'application/json',
      ...(method === 'GET' ? {} : { 'X-CSRF-Token': csrfToken }),
      ...(body === undefined || body instanceof FormData ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
  });
  const isJson = (response.headers.get('Content-Type') ?? '').startsWith('application/json');
  const data: unknown = isJson ? await response.json() : await response.text();
  if (response.ok) return data;
  if (response.status === 401 && path !== '/session') signedOut();
  throw new ApiError(response.status, typeof data === 'object' && data !== null ? data : {});
}

/** What a page asks for, as far as it has come. */
export interface Resource<Value> {
  readonly data: Value | undefined;
  /** Why the last try failed; older data stays. */
  readonly error: ApiError | Error | undefined;
  readonly at: number | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Keeps what a path of the API says up to date; undefined asks for nothing. */
export function useResource<Value>(path: string | undefined, seconds = 10): Resource<Value> {
  const [state, setState] = useState<{
    path?: string | undefined;
    data?: Value;
    error?: Error | undefined;
    at?: number;
  }>({});
  const current = useRef(path);
  current.current = path;
  const load = useCallback(async () => {
    if (path === undefined) return;
    try {
      const data = (await ask('GET', path)) as Value;
      if (current.current === path) setState({ path, data, at: Date.now() });
    } catch (error) {
      if (current.current !== path) return;
      setState((before) => ({ ...(before.path === path ? before : { path }), error: error as Error }));
    }
  }, [path]);
  useEffect(() => {
    void load();
    return keepLoading(() => void load(), seconds);
  }, [load, seconds]);
  const isOwn = state.path === path;
  return {
    data: isOwn ? state.data : undefined,
    error: isOwn ? state.error : undefined,
    at: isOwn ? state.at : undefined,
    isLoading: path !== undefined && (!isOwn || (state.data === undefined && state.error === undefined)),
    reload: () => void load(),
  };
}

/** Follows the events of the dashboard: pages ask anew when something happened. */
export function followEvents(): () => void {
  const events = new EventSource('/api/v1/events');
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(announceChange, 200);
  };
  events.addEventListener('node', changed);
  events.addEventListener('artifacts', changed);
  return () => {
    clearTimeout(timer);
    events.close();
  };
}

export interface NodeFacts {
  readonly group: string;
  readonly id: string;
  readonly health: 'healthy' | 'late' | 'lost';
  readonly trust: 'approved' | 'waiting' | 'refused';
  readonly managementUrl: string;
  readonly problem?: string;
  readonly lastBeat: number;
  readonly since: number;
  readonly readAt?: number;
  readonly artifacts: number;
  readonly version?: string;
  readonly server?: Readonly<Record<string, unknown>>;
  /** Artifacts that run otherwise than on most nodes of the group; undefined before the node was read. */
  readonly drift?: number;
  readonly drifting?: readonly { readonly kind: string; readonly name: string; readonly how: string }[];
}

export interface ArtifactRow {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
  readonly state?: string;
  readonly nodes: number;
  readonly of: number;
  readonly hasDrift: boolean;
  readonly isTraced: boolean;
  readonly hasStatistics: boolean;
  readonly summary: string;
}

export interface ListOf<Item> {
  readonly list: readonly Item[];
}

/** Path of a node's live resource. */
export function nodePath(node: Pick<NodeFacts, 'group' | 'id'>, rest: string): string {
  return `/nodes/${encodeURIComponent(node.group)}/${encodeURIComponent(node.id)}/${rest}`;
}

/** What an error says to people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Does `work`, then `done` or `failed` with the reason in words. */
export async function attempt(
  work: Promise<unknown>,
  done: () => void,
  failed: (reason: string) => void,
): Promise<void> {
  try {
    await work;
  } catch (error) {
    failed(messageOf(error));
    return;
  }
  done();
}
