import { oauthGrantTypePassword } from '#config';
import { MillraceError } from '#errors';
import { OAuthError } from '../errors.ts';
import { defineGrant } from '../grant.ts';
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
  async run({ client, method, parameters, scopes, address }, services) {
    const username = parameters.get('username') ?? '';
    const outcome = await services.signIn({
      username,
      password: parameters.get('password') ?? '',
      tenant: client.tenant,
      takesStrangers: client.isSaas,
      // Behind a server that proved who it is stand all of its users; anybody may be behind a public client.
      address: method === 'none' ? address : undefined,
    });
    if ('user' in outcome) {
      const authenticatedAt = services.clock.now();
      return { subject: userSubject(outcome.user), scopes, authenticatedAt, authentication: { methods: ['pwd'] } };
    }
    if (outcome.failure === 'unavailable') {
      throw new MillraceError({ code: 'MR_DB_USERS', status: 502, message: 'The user store does not answer' });
    }
    if (outcome.failure === 'wait') {
      const seconds = Math.ceil(outcome.milliseconds / 1000);
      throw new OAuthError('invalid_grant', `Too many attempts failed; try again in ${seconds} s`, { status: 429 });
    }
    throw refused(username);
  },
});

/** One answer for unknown names, wrong passwords and locked accounts. */
function refused(name: string): OAuthError {
  return new OAuthError('invalid_grant', `Authentication failed for ${name}`);
}
