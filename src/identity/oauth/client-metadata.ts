import { z } from 'zod';
import { compileJavaRegex } from '#core/java';
import { assertionAlgorithms } from '../keys/assertion-jwt.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { Client } from './client.ts';
import { OAuthError } from './errors.ts';
import { checkRegistrationRules } from './registration-rules.ts';
import type { OAuthServices } from './services.ts';
import { refuseUnoffered } from './unoffered-metadata.ts';

const seconds = z.number().int().min(-1).optional();
const address = z.string().max(2000).refine(isAbsoluteUrl, 'expected an absolute URL');
const algorithm = z.enum(['RS256', 'ES256']).optional();

/** What registration takes (RFC 7591 §2, and the original's own parameters); further members are kept as they are. */
const schema = z.looseObject({
  client_name: z.string().min(1).max(200),
  redirect_uris: z.array(z.string().min(1).max(2000)).max(50).optional(),
  grant_types: z.array(z.string()).max(30).optional(),
  token_endpoint_auth_method: z
    .enum(['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'])
    .optional(),
  post_logout_redirect_uris: z.array(address).max(50).optional(),
  backchannel_logout_uri: address.optional(),
  frontchannel_logout_uri: address.optional(),
  jwks: z.object({ keys: z.array(z.record(z.string(), z.unknown())).max(20) }).optional(),
  jwks_uri: address.optional(),
  application_type: z.enum(['web', 'native']).optional(),
  initiate_login_uri: address.optional(),
  sector_identifier_uri: address.optional(),
  request_uris: z.array(address).max(50).optional(),
  software_statement: z.string().optional(),
  require_pushed_authorization_requests: z.boolean().optional(),
  require_signed_request_object: z.boolean().optional(),
  request_object_signing_alg: z.enum(assertionAlgorithms).optional(),
  id_token_signed_response_alg: algorithm,
  userinfo_signed_response_alg: algorithm,
  ext_param_client_id: z
    .string()
    .regex(/^[a-zA-Z0-9_]{15,30}$/, 'expected 15 to 30 letters, digits or underscores')
    .optional(),
  ext_param_client_secret: z.string().min(16).max(200).optional(),
  ext_application_owner: z.string().optional(),
  ext_application_token_lifetime: seconds,
  ext_user_token_lifetime: seconds,
  ext_refresh_token_lifetime: seconds,
  ext_id_token_lifetime: seconds,
  ext_pkce_mandatory: z.boolean().optional(),
  ext_pkce_support_plain: z.boolean().optional(),
  ext_public_client: z.boolean().optional(),
  ext_token_type: z.string().max(100).optional(),
  token_type_extension: z.string().max(100).optional(),
});

export type ClientMetadata = z.infer<typeof schema>;

/** Members of an answer that a client may send back (RFC 7592 §2.2), and secrets: never kept as they come. */
const givenByServer: ReadonlySet<string> = new Set([
  'client_id',
  'client_id_issued_at',
  'client_secret',
  'client_secret_expires_at',
  'registration_access_token',
  'registration_client_uri',
  'ext_param_client_secret',
]);

/** Grants whose clients need an address to send the browser back to. */
const redirectGrants: readonly string[] = ['authorization_code', 'implicit'];

/** What reading metadata needs of the server. */
export type MetadataParts = Pick<OAuthServices, 'grants' | 'settings' | 'own' | 'readStatement'>;

/**
 * Reads the body of a registration; what its software statement vouches for wins (RFC 7591 §2.3).
 *
 * @throws OAuthError `invalid_client_metadata` naming the member, `invalid_redirect_uri`, and those of `readStatement`
 */
export async function readMetadata(body: unknown, tenant: Tenant, parts: MetadataParts): Promise<ClientMetadata> {
  const { grants, settings, own } = parts;
  const statement: unknown = typeof body === 'object' && body !== null && Reflect.get(body, 'software_statement');
  const vouched = typeof statement === 'string' ? await parts.readStatement(statement, tenant) : {};
  const parsed = schema.safeParse(typeof statement === 'string' ? Object.assign({}, body, vouched) : body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.join('.') ?? '';
    throw new OAuthError('invalid_client_metadata', `${place === '' ? 'The body' : place}: ${issue?.message ?? ''}`);
  }
  const metadata = parsed.data;
  refuseUnoffered(metadata);
  const wanted = grantTypesOf(metadata);
  const unknown = wanted.find((name) => name !== 'implicit' && !grants.has(name));
  if (unknown !== undefined) {
    throw new OAuthError('invalid_client_metadata', `grant_types: the grant "${unknown}" is not offered`);
  }
  const kinds = ['Default', 'JWT', ...settings.tokenTypes.keys(), ...own.issuers.keys()];
  const kind = metadata.ext_token_type ?? metadata.token_type_extension;
  if (kind !== undefined && !kinds.includes(kind)) {
    throw new OAuthError('invalid_client_metadata', `ext_token_type: expected one of ${kinds.join(', ')}`);
  }
  for (const uri of metadata.redirect_uris ?? []) checkRedirectUri(uri);
  const needsRedirect = wanted.some((name) => redirectGrants.includes(name));
  if (needsRedirect && (metadata.redirect_uris ?? []).length === 0) {
    throw new OAuthError('invalid_redirect_uri', 'redirect_uris: expected at least one address for these grants');
  }
  checkRegistrationRules(metadata);
  return metadata;
}

/** Facts that metadata say nothing of; a change of metadata leaves them. */
type OtherFacts =
  | 'id'
  | 'tenant'
  | 'owner'
  | 'isActive'
  | 'isSaas'
  | 'skipsConsent'
  | 'skipsLogoutConsent'
  | 'renewsRefreshToken'
  | 'audiences'
  | 'claims'
  | 'scopeValidators'
  | 'registrationTokenHash';

/** The facts of a client that its metadata decide, all of them: what the metadata leave out is gone. */
export function clientFacts(metadata: ClientMetadata): Omit<Client, OtherFacts> {
  const {
    ext_user_token_lifetime: userAccessToken,
    ext_application_token_lifetime: applicationAccessToken,
    ext_refresh_token_lifetime: refreshToken,
    ext_id_token_lifetime: idToken,
  } = metadata;
  return {
    name: metadata.client_name,
    grantTypes: grantTypesOf(metadata),
    redirectUris: metadata.redirect_uris ?? [],
    postLogoutRedirectUris: metadata.post_logout_redirect_uris ?? [],
    backChannelLogoutUri: metadata.backchannel_logout_uri,
    frontChannelLogoutUri: metadata.frontchannel_logout_uri,
    isPublic: metadata.ext_public_client ?? metadata.token_endpoint_auth_method === 'none',
    pkceMandatory: metadata.ext_pkce_mandatory ?? false,
    pkceAllowsPlain: metadata.ext_pkce_support_plain ?? false,
    requiresPushedRequests: metadata.require_pushed_authorization_requests ?? false,
    requiresSignedRequests: metadata.require_signed_request_object ?? false,
    requestObjectAlgorithm: metadata.request_object_signing_alg,
    tokenType: metadata.ext_token_type ?? metadata.token_type_extension,
    authentication: metadata.token_endpoint_auth_method,
    idTokenAlgorithm: metadata.id_token_signed_response_alg,
    userInfoAlgorithm: metadata.userinfo_signed_response_alg,
    jwks: metadata.jwks,
    jwksUri: metadata.jwks_uri,
    lifetimes: {
      ...(userAccessToken !== undefined && { userAccessToken }),
      ...(applicationAccessToken !== undefined && { applicationAccessToken }),
      ...(refreshToken !== undefined && { refreshToken }),
      ...(idToken !== undefined && { idToken }),
    },
    metadata: Object.fromEntries(Object.entries(metadata).filter(([name]) => !givenByServer.has(name))),
  };
}

/** The answer of a registration (RFC 7591 §3.2.1). */
export function describeClient(client: Client, secret: string | undefined): Readonly<Record<string, unknown>> {
  return {
    ...client.metadata,
    client_id: client.id,
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    client_name: client.name,
    redirect_uris: client.redirectUris,
    grant_types: client.grantTypes,
    ext_application_owner: client.owner,
  };
}

/** RFC 7591 §2: without the member, the authorization code grant. */
function grantTypesOf({ grant_types: given }: ClientMetadata): readonly string[] {
  return given ?? ['authorization_code'];
}

function checkRedirectUri(uri: string): void {
  if (uri.startsWith('regexp=')) {
    try {
      compileJavaRegex(uri.slice('regexp='.length));
      return;
    } catch (cause) {
      throw new OAuthError('invalid_redirect_uri', 'redirect_uris: the pattern is no regular expression', { cause });
    }
  }
  const parsed = URL.canParse(uri) ? new URL(uri) : undefined;
  const isDangerous = parsed !== undefined && /^(?:javascript|data|vbscript|file|blob):$/.test(parsed.protocol);
  if (!parsed || isDangerous || uri.includes('#')) {
    throw new OAuthError('invalid_redirect_uri', `redirect_uris: expected an absolute URL without a fragment`);
  }
}

function isAbsoluteUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
