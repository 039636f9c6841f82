import { MillraceError } from '#errors';
import { jsonOf, type HttpAnswer, type HttpCall, type HttpCaller } from './http-caller.ts';
import { asRecord, asText } from './json-shape.ts';

/** A user of runtimes. */
export interface RuntimeAccount {
  readonly username: string;
  readonly password: string;
}

/** The management API of one runtime, signed in. */
export interface NodeClient {
  /** Asks for a path below the management API's base; signs in when it must, and once more when its token is refused. */
  call(path: string, call?: Omit<HttpCall, 'url'>): Promise<HttpAnswer>;
  /** The JSON of an answer. @throws MillraceError `MR_DASHBOARD_RUNTIME` (502) for any status but 2xx */
  json(path: string, call?: Omit<HttpCall, 'url'>): Promise<unknown>;
}

/**
 * Makes a client for the management API at `baseUrl`.
 *
 * @param options `login` asks for a token (management 1.2)
 */
export function createNodeClient(
  baseUrl: string,
  options: { readonly call: HttpCaller; readonly account: RuntimeAccount },
): NodeClient {
  let authorization: Promise<string> | undefined;
  const signedIn = (): Promise<string> => {
    authorization ??= signIn(baseUrl, options.call, options.account).then(
      ({ header }) => header,
      (error: unknown) => {
        authorization = undefined;
        throw error;
      },
    );
    return authorization;
  };
  const once = async (path: string, call: Omit<HttpCall, 'url'>): Promise<HttpAnswer> =>
    options.call({
      ...call,
      url: urlOf(baseUrl, path),
      headers: [...(call.headers ?? []), 'Authorization', await signedIn()],
    });
  const client: NodeClient = {
    async call(path, call = {}) {
      const answer = await once(path, call);
      if (answer.status !== 401) return answer;
      authorization = undefined;
      return once(path, call);
    },
    async json(path, call) {
      const answer = await client.call(path, call);
      if (answer.status >= 200 && answer.status < 300) return jsonOf(answer);
      throw runtimeError(answer, path);
    },
  };
  return client;
}

/**
 * Signs a user in to a runtime: the header for later calls, and whether the user is an administrator. A runtime without
 * tokens is asked with the password each time.
 *
 * @throws MillraceError `MR_DASHBOARD_SIGN_IN` (401) when the runtime refuses, `MR_DASHBOARD_RUNTIME` (502) otherwise
 */
export async function signIn(
  baseUrl: string,
  call: HttpCaller,
  account: RuntimeAccount,
): Promise<{ readonly header: string; readonly isAdmin: boolean }> {
  const basic = `Basic ${Buffer.from(`${account.username}:${account.password}`).toString('base64')}`;
  const answer = await call({ url: urlOf(baseUrl, 'login'), headers: ['Authorization', basic] });
  if (answer.status === 401 || answer.status === 403) {
    throw new MillraceError({
      code: 'MR_DASHBOARD_SIGN_IN',
      status: 401,
      message: 'The runtime does not know this user or password',
    });
  }
  const token = asText(asRecord(jsonOf(answer))['AccessToken']);
  if (answer.status === 200 && token !== undefined) return { header: `Bearer ${token}`, isAdmin: isAdminToken(token) };
  throw runtimeError(answer, 'login');
}

/** The scope of a token of the runtime, which vouched for it by handing it out (management 1.2). */
function isAdminToken(token: string): boolean {
  const claims = token.split('.')[1];
  if (claims === undefined) return false;
  try {
    return asRecord(JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')))['scope'] === 'admin';
  } catch {
    // An opaque token says nothing about its user.
    return false;
  }
}

export function urlOf(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/+$/, '')}/${path.replace(/^\/+/, '')}`;
}

function runtimeError(answer: HttpAnswer, path: string): MillraceError {
  const body = asRecord(jsonOf(answer));
  const said = asText(body['Error']) ?? asText(body['error']) ?? asText(body['message']);
  const status = answer.status === 404 ? 404 : answer.status === 403 ? 403 : 502;
  return new MillraceError({
    code: 'MR_DASHBOARD_RUNTIME',
    status,
    message: said ?? `The runtime answered ${path.split('?', 1)[0]} with status ${answer.status}`,
  });
}
