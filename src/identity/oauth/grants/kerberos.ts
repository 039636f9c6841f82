import { oauthGrantTypeKerberos } from '#config';
import { OAuthError } from '../errors.ts';
import { defineGrant } from '../grant.ts';
import { ticketSubject } from './ticket-subject.ts';

/** `kerberos`: a ticket for the service of an identity provider (identity 3.8). */
export const kerberos = defineGrant({
  name: 'kerberos',
  section: 'kerberos',
  keys: {
    enable: oauthGrantTypeKerberos.enable,
    handler: oauthGrantTypeKerberos.grantHandler,
    validator: oauthGrantTypeKerberos.grantValidator,
  },
  classes: ['KerberosGrant', 'KerberosGrantValidator'],
  required: ['kerberos_token', 'kerberos_realm'],
  subject: 'user',
  admitsPublicClients: true,
  refreshTokens: true,
  idTokens: true,
  async run({ parameters, tenant, scopes }, services) {
    const realm = parameters.get('kerberos_realm') ?? '';
    const provider = await services.providers.ofName(tenant, realm);
    if (!provider?.kerberos) throw new OAuthError('invalid_grant', 'The kerberos_realm is no identity provider here');
    const ticket = parameters.get('kerberos_token') ?? '';
    return { subject: await ticketSubject({ ticket, tenant, provider }, services), scopes };
  },
});
