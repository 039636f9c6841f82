import { oauthGrantTypeRefreshToken } from '#config';
import { OAuthError } from '../errors.ts';
import { defineGrant } from '../grant.ts';
import type { OAuthServices } from '../services.ts';

/** How long a refresh token that was exchanged may come once more, because an answer was lost. */
const graceTime = 10_000;

/** `refresh_token`: another pair for one that ends (RFC 6749 §6, RFC 9700 §4.14, identity 3.4). */
export const refreshToken = defineGrant({
  name: 'refresh_token',
  section: 'refresh_token',
  keys: { enable: oauthGrantTypeRefreshToken.enable, handler: oauthGrantTypeRefreshToken.grantHandler },
  classes: ['RefreshGrantHandler', 'ExtendedRefreshGrantHandler', 'RefreshTokenGrantValidator'],
  required: ['refresh_token'],
  subject: 'user',
  admitsPublicClients: true,
  refreshTokens: true,
  idTokens: true,
  async run({ client, parameters, scopes }, services) {
    const { settings, tokens } = services;
    const value = parameters.get('refresh_token') ?? '';
    const former = await tokens.findRefresh(value);
    if (!former || former.record.clientId !== client.id || former.record.state !== 'ACTIVE') {
      await punishReuse(value, client.id, services);
      throw new OAuthError('invalid_grant', 'Persisted access token data not found');
    }
    const { record } = former;
    if (!tokens.isRefreshGood(record)) throw new OAuthError('invalid_grant', 'Refresh token is expired.');
    const excess = scopes.find((scope) => !record.refreshScopes.includes(scope));
    if (excess !== undefined) throw new OAuthError('invalid_scope', `The scope "${excess}" was not granted before`);
    await checkUser(record.subject, services);
    const renews = client.renewsRefreshToken ?? settings.renewsRefreshToken;
    return {
      subject: record.subject,
      scopes: scopes.length === 0 ? record.refreshScopes : scopes,
      scopesAreFinal: true,
      binding: record.binding,
      renewal: { former, refreshToken: renews ? undefined : value },
      ...(record.authenticatedAt !== undefined && { authenticatedAt: record.authenticatedAt }),
    };
  },
});

/** A refresh token that was exchanged before ends everything that came of it, unless its answer may just be lost. */
async function punishReuse(value: string, clientId: string, { tokens, clock, settings }: OAuthServices): Promise<void> {
  if (settings.compat.reusedRefreshToken) return;
  const former = await tokens.findFormer(value);
  if (former?.clientId === clientId && clock.now() - former.rotated > graceTime) {
    await tokens.revokeFamily(former.family);
  }
}

/** Users who are gone or may not sign in any more get no further tokens. */
async function checkUser(
  subject: {
    readonly type: string;
    readonly id: string;
    readonly tenant: Parameters<OAuthServices['users']['byId']>[0];
  },
  { users }: OAuthServices,
): Promise<void> {
  if (subject.type !== 'user') return;
  const user = await users.byId(subject.tenant, subject.id);
  if (!user || (await users.isBlocked(user))) {
    throw new OAuthError('invalid_grant', 'The user may not sign in any more');
  }
}
