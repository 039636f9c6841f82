import { oauthGrantTypeIwaNtlm } from '#config';
import { OAuthError } from '../errors.ts';
import { defineGrant } from '../grant.ts';
import { ticketSubject } from './ticket-subject.ts';

/**
 * `iwa_ntlm`: what a browser of a Windows domain negotiates. A Kerberos ticket within is accepted; NTLM itself can be
 * checked by Windows or a domain controller only (identity 3.7).
 */
export const iwaNtlm = defineGrant({
  name: 'iwa:ntlm',
  section: 'iwa_ntlm',
  keys: {
    enable: oauthGrantTypeIwaNtlm.enable,
    handler: oauthGrantTypeIwaNtlm.grantHandler,
    validator: oauthGrantTypeIwaNtlm.grantValidator,
  },
  classes: [
    'NTLMAuthenticationGrantHandler',
    'NTLMAuthenticationGrantHandlerWithHandshake',
    'ExtendedNTLMAuthGrantHandler',
    'NTLMAuthenticationGrantValidator',
  ],
  required: [],
  subject: 'user',
  admitsPublicClients: true,
  refreshTokens: true,
  idTokens: true,
  async run({ parameters, tenant, scopes }, services) {
    const token = parameters.get('windows_token');
    if (token === undefined) throw new OAuthError('invalid_grant', 'NTLM token is null');
    const bytes = Buffer.from(token, 'base64');
    if (bytes.includes('NTLMSSP\0')) {
      throw new OAuthError('invalid_grant', 'NTLM cannot be checked here; the client has to negotiate Kerberos');
    }
    // The first byte of every GSS-API token (RFC 2743 §3.1).
    if (bytes[0] !== 0x60) throw new OAuthError('invalid_grant', 'The windows_token is neither NTLM nor Kerberos');
    const provider = await services.providers.withKerberos(tenant);
    if (!provider) throw new OAuthError('invalid_grant', 'No identity provider of the tenant accepts Kerberos tickets');
    return { subject: await ticketSubject({ ticket: token, tenant, provider }, services), scopes };
  },
});
