import { oauthGrantTypeClientCredentials } from '#config';
import { defineGrant } from '../grant.ts';

/** `client_credentials`: the application for itself (RFC 6749 §4.4, identity 3.3). */
export const clientCredentials = defineGrant({
  name: 'client_credentials',
  section: 'client_credentials',
  keys: { enable: oauthGrantTypeClientCredentials.enable, handler: oauthGrantTypeClientCredentials.grantHandler },
  classes: ['ClientCredentialsGrantHandler', 'ExtendedClientCredentialsGrantHandler', 'ClientCredentialGrantValidator'],
  required: [],
  subject: 'application',
  admitsPublicClients: false,
  refreshTokens: false,
  idTokens: false,
  async run({ client, scopes }) {
    return {
      subject: {
        id: client.id,
        name: client.id,
        storeDomain: '',
        tenant: client.tenant,
        type: 'application',
        identityProvider: 'LOCAL',
      },
      scopes,
    };
  },
});
