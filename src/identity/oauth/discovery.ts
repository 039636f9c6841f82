import { jsonAnswer, type Endpoint, type EndpointAnswer } from '../http/endpoint.ts';
import { assertionAlgorithms } from '../keys/assertion-jwt.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { issuerOf, tenantUrl } from './issuer.ts';
import { oidcScopes } from './scopes.ts';
import type { OAuthServices } from './services.ts';

/** Where each endpoint is announced, by the name of its metadata, with its path (identity 2.7). */
const paths = {
  authorization_endpoint: '/oauth2/authorize',
  pushed_authorization_request_endpoint: '/oauth2/par',
  token_endpoint: '/oauth2/token',
  userinfo_endpoint: '/oauth2/userinfo',
  revocation_endpoint: '/oauth2/revoke',
  introspection_endpoint: '/oauth2/introspect',
  registration_endpoint: '/api/identity/oauth2/dcr/v1.1/register',
  device_authorization_endpoint: '/oauth2/device_authorize',
  end_session_endpoint: '/oidc/logout',
  check_session_iframe: '/oidc/checksession',
  webfinger_endpoint: '/.well-known/webfinger',
  jwks_uri: '/oauth2/jwks',
} as const;

export type AnnouncedEndpoint = keyof typeof paths;

const clientMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] as const;
const signingAlgorithms = ['RS256', 'ES256'] as const;

export interface DiscoveryParts extends Pick<OAuthServices, 'settings' | 'grants'> {
  /** Endpoints that are there; others are not announced. */
  readonly served: ReadonlySet<string>;
  /** Addresses that the configuration announces in place of our own, by metadata name. */
  readonly announced: Partial<Readonly<Record<AnnouncedEndpoint, string>>>;
  readonly responseTypes: readonly string[];
  readonly responseModes: readonly string[];
  readonly claims: readonly string[];
  /** Values that `acr` may have. */
  readonly classes: readonly string[];
}

/** Discovery at the paths of the original and of RFC 8414 (identity 2.7). */
export function discoveryEndpoints(parts: DiscoveryParts): readonly Endpoint[] {
  const handle = ({ tenant }: { readonly tenant: Tenant }): EndpointAnswer => ({
    ...jsonAnswer(discoveryDocument(tenant, parts)),
    headers: ['Content-Type', 'application/json', 'Cache-Control', 'public, max-age=300'],
  });
  return discoveryPaths.map((path) => ({ path, methods: ['GET'], isOpenToScripts: true, handle }));
}

const discoveryPaths = [
  '/oauth2/token/.well-known/openid-configuration',
  '/oauth2/oidcdiscovery/.well-known/openid-configuration',
  '/oauth2/token/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/oauth2/token',
] as const;

/** The metadata of a tenant's authorization server (RFC 8414 §2, OpenID Connect Discovery 3). */
export function discoveryDocument(tenant: Tenant, parts: DiscoveryParts): Readonly<Record<string, unknown>> {
  const { settings, grants, served } = parts;
  const base = tenantUrl(settings, tenant);
  const endpoints = Object.entries(paths)
    .filter(([, path]) => served.has(path))
    .map(([name, path]) => [name, parts.announced[name as AnnouncedEndpoint] ?? `${base}${path}`]);
  const hasImplicit = parts.responseTypes.some((type) => type !== 'code' && type !== 'none');
  return {
    issuer: issuerOf(settings, tenant),
    ...Object.fromEntries(endpoints),
    scopes_supported: [...oidcScopes],
    claims_supported: parts.claims,
    acr_values_supported: parts.classes,
    response_types_supported: parts.responseTypes,
    response_modes_supported: parts.responseModes,
    grant_types_supported: [...grants.keys(), ...(hasImplicit ? ['implicit'] : [])],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: signingAlgorithms,
    userinfo_signing_alg_values_supported: signingAlgorithms,
    token_endpoint_auth_methods_supported: clientMethods,
    token_endpoint_auth_signing_alg_values_supported: ['RS256', 'PS256', 'ES256'],
    revocation_endpoint_auth_methods_supported: clientMethods,
    introspection_endpoint_auth_methods_supported: clientMethods.filter((method) => method !== 'none'),
    code_challenge_methods_supported: ['S256', 'plain'],
    authorization_response_iss_parameter_supported: served.has(paths.authorization_endpoint),
    claims_parameter_supported: true,
    request_parameter_supported: true,
    request_object_signing_alg_values_supported: assertionAlgorithms,
    require_signed_request_object: false,
    require_request_uri_registration: false,
    require_pushed_authorization_requests: false,
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    authorization_signing_alg_values_supported: signingAlgorithms,
    request_uri_parameter_supported: served.has(paths.pushed_authorization_request_endpoint),
    backchannel_logout_supported: served.has(paths.end_session_endpoint),
    backchannel_logout_session_supported: served.has(paths.end_session_endpoint),
    frontchannel_logout_supported: served.has(paths.end_session_endpoint),
    frontchannel_logout_session_supported: served.has(paths.end_session_endpoint),
  };
}
