import { getHeader } from '#message';
import type { EndpointRequest } from '../http/endpoint.ts';
import { readParameters } from '../http/parameters.ts';
import { authenticateClient } from './client-authentication.ts';
import { OAuthError } from './errors.ts';
import type { Asker } from './introspect.ts';
import type { OAuthServices } from './services.ts';
import { resolveUserName } from './user-name.ts';

/** Roles whose users may ask about tokens: those who administer applications (identity 2.6). */
const askingRoles: ReadonlySet<string> = new Set(['admin', 'Internal/introspect']);

/** The scope that lets a bearer ask (identity 2.6). */
const askingScope = 'internal_oauth2_introspect';

/**
 * Makes what finds out who asks about a token: a confidential client with its secret, a user with HTTP Basic and a role,
 * or a token with the scope. Credentials that are tried as a client's first cost a lookup, no password hash.
 */
export function createAsker(services: OAuthServices): (request: EndpointRequest) => Promise<Asker | undefined> {
  return async (request) => {
    const authorization = getHeader(request.headers, 'Authorization');
    const bearer = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (bearer !== undefined) {
      const record = await services.tokens.findAccess(bearer);
      return record?.scopes.includes(askingScope) ? { tenant: record.subject.tenant } : undefined;
    }
    return (await asClient(request, services)) ?? asUser(authorization, request, services);
  };
}

async function asClient(request: EndpointRequest, services: OAuthServices): Promise<Asker | undefined> {
  try {
    const parameters = readParameters(request.body);
    const { client, method } = await authenticateClient({ ...request, parameters }, services);
    return method === 'none' ? undefined : { tenant: client.tenant };
  } catch (error) {
    if (error instanceof OAuthError && error.error === 'invalid_client') return undefined;
    throw error;
  }
}

async function asUser(
  authorization: string | undefined,
  { tenant }: EndpointRequest,
  services: OAuthServices,
): Promise<Asker | undefined> {
  const encoded = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const resolved = colon < 1 ? undefined : await resolveUserName(text.slice(0, colon), tenant, services);
  if (!resolved) return undefined;
  const { user } = await services.users.signIn(resolved.tenant, resolved.name, text.slice(colon + 1));
  const roles = user ? await services.users.roles(user) : [];
  return user && roles.some((role) => askingRoles.has(role)) ? { tenant: user.tenant } : undefined;
}
