import { MillraceError } from '#errors';
import type { IdentityProvider } from '../../providers/provider.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import { OAuthError } from '../errors.ts';
import type { OAuthServices } from '../services.ts';
import { userSubject } from '../subjects.ts';
import type { Subject } from '../tokens.ts';
import { federatedSubject } from './assertion-subject.ts';

/** A ticket, and the provider whose service it is for. */
export interface Ticket {
  /** Base64. */
  readonly ticket: string;
  readonly tenant: Tenant;
  readonly provider: IdentityProvider;
}

/**
 * Whose ticket it is: a user of the stores that the provider names, else one of the provider's own (identity 3.8).
 *
 * @throws OAuthError `invalid_grant`
 */
export async function ticketSubject({ ticket, tenant, provider }: Ticket, services: OAuthServices): Promise<Subject> {
  const { acceptTicket, users } = services;
  if (!provider.kerberos) throw new OAuthError('invalid_grant', 'The identity provider accepts no tickets');
  const { storeDomains } = provider.kerberos;
  const sender = await acceptTicket(ticket, provider.kerberos).catch((error: unknown) => {
    if (!(error instanceof MillraceError)) throw error;
    throw new OAuthError('invalid_grant', error.message, { cause: error });
  });
  const [name = ''] = sender.split('@', 1);
  const names = storeDomains.length === 0 ? [name] : storeDomains.map((domain) => `${domain}/${name}`);
  for (const each of names) {
    const user = await users.find(tenant, each);
    if (!user) continue;
    if (await users.isBlocked(user)) throw new OAuthError('invalid_grant', 'The user may not sign in');
    return userSubject(user);
  }
  return federatedSubject(sender, tenant, provider);
}
