import { oauthGrantTypePassword } from '#config';
import { MillraceError } from '#errors';
import { OAuthError } from '../errors.ts';
import { defineGrant } from '../grant.ts';
import { resolveUserName } from '../user-name.ts';
import { userSubject } from '../subjects.ts';

/** `password`: name and password of a user (RFC 6749 §4.3, identity 3.2). */
export const password = defineGrant({
  name: 'password',
  section: 'password',
  keys: { enable: oauthGrantTypePassword.enable, handler: oauthGrantTypePassword.grantHandler },
  classes: ['PasswordGrantHandler', 'ExtendedPasswordGrantHandler', 'PasswordGrantValidator'],
  required: ['username', 'password'],
  subject: 'user',
  admitsPublicClients: true,
  refreshTokens: true,
  idTokens: true,
  async run({ client, parameters, scopes }, services) {
    const given = parameters.get('username') ?? '';
    const resolved = await resolveUserName(given, client.tenant, services);
    const isForeign = resolved !== undefined && resolved.tenant.id !== client.tenant.id;
    if (!resolved || (isForeign && !client.isSaas)) throw refused(given);
    const { user, failure } = await services.users.signIn(
      resolved.tenant,
      resolved.name,
      parameters.get('password') ?? '',
    );
    if (failure === 'unavailable') {
      throw new MillraceError({ code: 'MR_DB_USERS', status: 502, message: 'The user store does not answer' });
    }
    if (!user) throw refused(given);
    return { subject: userSubject(user), scopes, authenticatedAt: services.clock.now() };
  },
});

/** One answer for unknown names, wrong passwords and locked accounts. */
function refused(name: string): OAuthError {
  return new OAuthError('invalid_grant', `Authentication failed for ${name}`);
}
