import { decodeJwt } from 'jose';
import { emptyAnswer, type Endpoint, type EndpointAnswer } from '../http/endpoint.ts';
import { readParameters } from '../http/parameters.ts';
import { authenticateClient } from './client-authentication.ts';
import { OAuthError } from './errors.ts';
import type { OAuthServices } from './services.ts';
import type { StoredToken } from './token-rows.ts';

/** Names that a JSONP callback may have: nothing of it can be read as anything else. */
const callbackSyntax = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;

/** `/oauth2/revoke` (RFC 7009, identity 2.6): both tokens of a pair end together. */
export function revokeEndpoint(services: OAuthServices): Endpoint {
  return {
    path: '/oauth2/revoke',
    methods: ['POST'],
    isOpenToScripts: true,
    async handle(request) {
      const parameters = readParameters(request.body);
      const { client } = await authenticateClient({ ...request, parameters }, services);
      const token = parameters.get('token');
      if (token === undefined) throw new OAuthError('invalid_request', 'Invalid revocation request');
      const callback = parameters.get('callback');
      if (callback !== undefined && (callback.length > 100 || !callbackSyntax.test(callback))) {
        throw new OAuthError('invalid_request', 'The callback is no name of a function');
      }
      const pair = await findPair(token, parameters.get('token_type_hint'), services);
      const audited = (outcome: 'success' | 'failure'): void => {
        services.audit.record({
          actor: client.id,
          tenant: client.tenant.domain,
          action: 'revoked',
          target: `token of ${pair?.record.clientId ?? 'nobody'}`,
          outcome,
          detail: { subject: pair?.record.subject.id, address: request.peer.address },
        });
      };
      if (pair && pair.record.clientId !== client.id) {
        audited('failure');
        const status = services.settings.compat.revocationOfForeignTokens ? 401 : 400;
        throw new OAuthError('unauthorized_client', 'The token was issued to another client', { status });
      }
      if (pair) {
        await services.tokens.revoke(pair);
        audited('success');
      }
      return done(callback);
    },
  };
}

function done(callback: string | undefined): EndpointAnswer {
  if (callback === undefined) return emptyAnswer(200);
  const headers = ['Content-Type', 'application/javascript', 'X-Content-Type-Options', 'nosniff'];
  return { ...emptyAnswer(200, headers), body: `${callback}();` };
}

/** The pair with a token of either kind; the hint says which is looked for first (RFC 7009 §2.1). */
export async function findPair(
  token: string,
  hint: string | undefined,
  { tokens }: Pick<OAuthServices, 'tokens'>,
): Promise<StoredToken | undefined> {
  const ofAccess = (): Promise<StoredToken | undefined> => tokens.findPair(aliasOf(token));
  const ofRefresh = (): Promise<StoredToken | undefined> => tokens.findRefresh(token);
  return hint === 'refresh_token'
    ? ((await ofRefresh()) ?? (await ofAccess()))
    : ((await ofAccess()) ?? (await ofRefresh()));
}

/** By what an access token is found: its own value, or the `jti` of a JWT, whose signature does not matter for that. */
export function aliasOf(token: string): string {
  if (token.split('.', 4).length !== 3) return token;
  try {
    return decodeJwt(token).jti ?? token;
  } catch {
    // Three parts that are no JWT: an opaque value of somebody else, which is not found.
    return token;
  }
}
