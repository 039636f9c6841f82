import { messageOf, MillraceError, synapseCodes } from '#errors';
import { readBody, setHeader, type HeaderList } from '#message';
import { exchangeOnce } from './fetch-text.ts';
import type { HttpSender, IncomingResponse, OutgoingRequest } from '#transport';
import type { CompileContext } from '../context.ts';
import { basicCredentials } from './basic-authentication.ts';
import { EndpointFault } from './endpoint-fault.ts';
import type { TokenConnection } from './oauth-connection.ts';
import type { Token } from './oauth-token-cache.ts';
import { splitUrl } from './url.ts';

/** What a token server is asked. */
export interface TokenRequest {
  readonly url: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Goes into the Authorization header; undefined when it stands in the body, or nowhere. */
  readonly client: { readonly id: string; readonly secret: string } | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Most bytes of an answer of a token server. */
const maximumAnswer = 1_000_000;

/** Asks a token server, with a refresh token in place of the one in the parameters where an earlier answer brought one. */
export type TokenRequester = (request: TokenRequest, refreshToken: string | undefined) => Promise<Token>;

/**
 * Makes the function that gets tokens over connections as the endpoint wants them (runtime-core 5.3). It rejects with
 * an `EndpointFault` 303003 that says why there is no token.
 */
export function createTokenRequester(connection: TokenConnection, context: CompileContext): TokenRequester {
  const { services, library } = context;
  const own = connection(services.settings, library);
  let sender: HttpSender | undefined;
  if (own && services.openSender) {
    library.lifecycle.add({ id: context.id, stop: async () => sender?.[Symbol.asyncDispose]() });
  }
  return async (wanted, refreshToken) => {
    sender ??= (own && services.openSender?.(own)) ?? services.sender;
    try {
      const answer = await exchangeOnce(sender, requestOf(wanted, refreshToken, own?.socketTimeout), services);
      return await readToken(answer);
    } catch (error) {
      throw new EndpointFault({
        code: synapseCodes.endpointAuthentication,
        message: `No access token from ${wanted.url}: ${reasonOf(error)}`,
        cause: error,
      });
    }
  };
}

/** The transport says in the detail what happened. */
function reasonOf(error: unknown): string {
  return error instanceof MillraceError ? (error.detail ?? error.message) : messageOf(error);
}

/** Values go into the body as they are: who needs them encoded writes them so (runtime-core 5.3). */
function requestOf(
  { url, parameters, client, headers: own }: TokenRequest,
  refreshToken: string | undefined,
  idleTimeout: number | undefined,
): OutgoingRequest {
  const headers: HeaderList = ['Content-Type', 'application/x-www-form-urlencoded', 'Accept', 'application/json'];
  if (client) headers.push('Authorization', basicCredentials(client.id, client.secret));
  for (const [name, value] of own) setHeader(headers, name, value);
  const pairs = parameters.map(([name, value]) =>
    name === 'refresh_token' && refreshToken !== undefined ? `${name}=${refreshToken}` : `${name}=${value}`,
  );
  const { origin, target } = splitUrl(url);
  return { origin, target, method: 'POST', headers, body: Buffer.from(pairs.join('&')), idleTimeout };
}

/** Only status 200 with a JSON object that has an `access_token` is a token. */
async function readToken({ status, body }: IncomingResponse): Promise<Token> {
  const text = body === null ? '' : Buffer.from(await readBody(body, maximumAnswer)).toString('utf8');
  if (status !== 200) throw new Error(`the token server answered with status ${status}`);
  const answer = parseObject(text);
  const accessToken = answer['access_token'];
  if (typeof accessToken !== 'string' || accessToken === '') {
    throw new Error('the answer of the token server has no access_token');
  }
  const seconds = Number(answer['expires_in'] ?? Number.NaN);
  const refreshToken = answer['refresh_token'];
  return {
    accessToken,
    lifetime: seconds > 0 ? seconds * 1000 : undefined,
    refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined,
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Said below, without the text: it may hold secrets.
  }
  throw new Error('the answer of the token server is no JSON object');
}
