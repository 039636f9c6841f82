import { MillraceError } from '#errors';
import { defineOperation, pick, type RestApi, type SchemaBuilder } from '#rest';
import { createAdministrativeApi, type AdministrativeApiParts } from '../http/administrative-api.ts';
import { tenantOfRequest } from '../http/tenant-site.ts';
import { findPair } from './revoke.ts';
import type { OAuthServices } from './services.ts';
import type { TokenList } from './token-list.ts';
import type { TokenRecord } from './tokens.ts';

export interface TokensApiParts extends AdministrativeApiParts, Pick<OAuthServices, 'tokens' | 'users'> {
  readonly tokenList: TokenList;
}

type Params = Readonly<Record<string, string>>;
interface Query {
  readonly client?: string | undefined;
  readonly user?: string | undefined;
}

const path = '/tokens';
const scope = { view: 'internal_token_view', revoke: 'internal_token_revoke' } as const;

const tokenSchema = (z: SchemaBuilder): ReturnType<SchemaBuilder['object']> =>
  z.object({
    id: z.string(),
    client_id: z.string(),
    username: z.string(),
    type: z.enum(['user', 'application', 'federated']),
    grant_type: z.string(),
    scope: z.string(),
    issued: z.string(),
    expires: z.string().nullable(),
    refresh_expires: z.string().nullable(),
  });

/** The tokens of a tenant's clients: who holds some, and their end. The values of tokens are never shown. */
export function createTokensApi(parts: TokensApiParts): RestApi {
  const { tokens, users, tokenList } = parts;
  const unknown = (): MillraceError =>
    new MillraceError({ code: 'MR_TOKEN_UNKNOWN', status: 404, message: 'There is no such token' });

  const operations = [
    defineOperation<Params, Query>({
      id: 'listTokens',
      method: 'GET',
      path,
      summary: 'Lists the living tokens of a client, of a user, or of a user at a client',
      scope: scope.view,
      parameters: { query: (z) => z.object({ client: z.string().optional(), user: z.string().optional() }) },
      responses: { 200: { description: 'The tokens', schema: (z) => z.object({ tokens: z.array(tokenSchema(z)) }) } },
      async handle({ request, query: { client, user } }) {
        if (client === undefined && user === undefined) {
          const message = 'Expected one of the parameters client and user, found neither';
          throw new MillraceError({ code: 'MR_TOKEN_QUERY', status: 400, message });
        }
        const tenant = tenantOfRequest(request);
        const subject = user === undefined ? undefined : await users.find(tenant, user);
        if (user !== undefined && !subject) {
          throw new MillraceError({ code: 'MR_USER_UNKNOWN', status: 404, message: `There is no user "${user}"` });
        }
        const whose = { ...(client !== undefined && { client }), ...(subject && { subject: subject.id }) };
        return { tokens: (await tokenList.of(tenant, whose)).map(describe) };
      },
    }),
    defineOperation({
      id: 'revokeTokenById',
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Ends an access token and its refresh token',
      scope: scope.revoke,
      responses: { 204: { description: 'They have ended' } },
      audited: ({ path }) => ({ action: 'deleted', type: 'token', info: pick(path, 'id') }),
      async handle({ request, path: { id = '' } }) {
        const found = await tokenList.byId(tenantOfRequest(request), id);
        if (!found) throw unknown();
        await tokens.revoke(found);
      },
    }),
    defineOperation<Params, unknown, { readonly token: string }>({
      id: 'revokeTokenByValue',
      method: 'POST',
      path: `${path}/revoke`,
      summary: 'Ends the access or refresh token of this value, and the other of the pair',
      scope: scope.revoke,
      body: (z) => z.object({ token: z.string().min(1) }),
      responses: { 204: { description: 'They have ended' } },
      audited: () => ({ action: 'deleted', type: 'token', info: {} }),
      async handle({ request, body: { token } }) {
        const found = await findPair(token, undefined, { tokens });
        if (found?.record.tenantId !== tenantOfRequest(request).id) throw unknown();
        await tokens.revoke(found);
      },
    }),
  ];
  return createAdministrativeApi('Tokens', operations, parts);
}

function describe(record: TokenRecord): Readonly<Record<string, string | null>> {
  const { issuedAt, accessLifetime, refreshIssuedAt, refreshLifetime } = record;
  return {
    id: record.id,
    client_id: record.clientId,
    username: record.subject.name,
    type: record.subject.type,
    grant_type: record.grantType,
    scope: record.scopes.join(' '),
    issued: new Date(issuedAt).toISOString(),
    expires: timeOf(issuedAt, accessLifetime),
    refresh_expires: timeOf(refreshIssuedAt, refreshLifetime),
  };
}

/** Null for what never ends, or is not there. */
function timeOf(from: number | undefined, lifetime: number | undefined): string | null {
  if (from === undefined || lifetime === undefined || lifetime < 0) return null;
  return new Date(from + lifetime).toISOString();
}
