import {
  dashboardHeartbeatConfig,
  dashboardInternalApis,
  dashboardInternalApisUsers,
  dashboardMillrace,
  dashboardMiUserStore,
  dashboardServerConfig,
  dashboardSso,
  dashboardSsoAuthorizationRequestParams,
  type Config,
} from '#config';
import { getLogger } from '#core';
import { MillraceError } from '#errors';
import type { RuntimeAccount } from './node-client.ts';

const log = getLogger('dashboard');

/** A user that the dashboard's own file names. */
export interface FileUser {
  readonly name: string;
  readonly password: string;
  readonly isAdmin: boolean;
}

/** Single sign-on with OpenID Connect. */
export interface SsoSettings {
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly issuer: string;
  /** Where the provider describes itself; undefined when the endpoints are written by hand. */
  readonly discoveryUrl: string | undefined;
  /** Endpoints of the file, as absolute URLs; they win over the provider's description. */
  readonly endpoints: Readonly<Partial<Record<SsoEndpoint, string>>>;
  readonly redirectUrl: string;
  readonly signedOutUrl: string;
  /** Origins from which scripts may call the API. */
  readonly origins: readonly string[];
  /** Whether those scripts may send cookies. */
  readonly takesCookies: boolean;
  readonly groupClaim: string;
  readonly adminGroups: readonly string[];
  readonly usesPkce: boolean;
  readonly scope: string;
  readonly nameClaim: string;
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[] | undefined;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

export type SsoEndpoint = 'authorize' | 'token' | 'jwks' | 'userinfo' | 'revoke' | 'introspect' | 'endSession';

/** What the dashboard reads from its `deployment.toml`. */
export interface DashboardSettings {
  readonly port: number;
  readonly hosts: readonly string[];
  /** Runtimes that are read at the same time. */
  readonly poolSize: number;
  readonly account: RuntimeAccount | undefined;
  readonly users: readonly FileUser[];
  readonly heartbeatSecret: string | undefined;
  readonly trustsUnknown: boolean;
  readonly sso: SsoSettings | undefined;
}

/**
 * Reads the settings.
 *
 * @param offset added to the port, as `--offset` says; addresses of the dashboard that the file does not write follow
 * @throws MillraceError `MR_DASHBOARD_CONFIG` that names the key
 */
export function readDashboardSettings(config: Config, offset = 0): DashboardSettings {
  const written = config.get(dashboardServerConfig.port);
  const port = written === 0 ? 0 : written + offset;
  const username = config.get(dashboardMiUserStore.username);
  const password = config.get(dashboardMiUserStore.password);
  return {
    port,
    hosts: config.get(dashboardMillrace.bind) ?? ['0.0.0.0'],
    poolSize: Math.max(1, config.get(dashboardHeartbeatConfig.poolSize)),
    account: username !== undefined && password !== undefined ? { username, password } : undefined,
    users: readUsers(config),
    heartbeatSecret: config.get(dashboardMillrace.heartbeatSecret),
    trustsUnknown: config.get(dashboardMillrace.trustUnknownNodes),
    sso: config.get(dashboardSso.enable) ? readSso(config, port) : undefined,
  };
}

/** Users of the file. Nobody has a password that the file does not write: the original's defaults do not count. */
function readUsers(config: Config): readonly FileUser[] {
  if (!config.get(dashboardInternalApis.fileUserStoreEnable)) return [];
  const { userName, userPassword, userIsAdmin } = dashboardInternalApisUsers;
  return config
    .list(dashboardInternalApisUsers)
    .filter((table) => table.has(userPassword))
    .map((table) => ({
      name: table.get(userName),
      password: table.get(userPassword),
      isAdmin: table.get(userIsAdmin),
    }));
}

/** Parameters of the authorization request that only the dashboard may decide. */
const reservedParameters = new Set([
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
]);

function readSso(config: Config, port: number): SsoSettings {
  const storage = config.get(dashboardSso.storage);
  if (storage !== 'webWorker') {
    log.warn({ key: 'sso.storage', storage }, 'tokens stay on the server: the browser keeps a session cookie only');
  }
  const base = config.get(dashboardSso.baseUrl)?.replace(/\/+$/, '');
  const absolute = (value: string | undefined): string | undefined =>
    value === undefined ? undefined : /^https?:/.test(value) ? value : `${base ?? ''}/${value.replace(/^\/+/, '')}`;
  const isManual = config.get(dashboardSso.overrideWellKnownEndpoint);
  // With discovery, the defaults of the single endpoints must not hide what the provider says.
  const endpoint = (key: (typeof endpointKeys)[SsoEndpoint]): string | undefined =>
    isManual || config.has(key) ? absolute(config.get(key)) : undefined;
  const endpoints = Object.fromEntries(
    Object.entries(endpointKeys).flatMap(([name, key]) => {
      const url = endpoint(key);
      return url === undefined ? [] : [[name, url]];
    }),
  ) as SsoSettings['endpoints'];
  if (isManual) demandEndpoints(config);
  const withKeys = isManual ? { jwks: `${base ?? ''}/oauth2/jwks`, ...endpoints } : endpoints;
  const discovery = config.get(dashboardSso.wellKnownEndpoint) ?? '/oauth2/token/.well-known/openid-configuration';
  const algorithm = config.get(dashboardSso.jwksAlgorithm);
  return {
    clientId: demand(config.get(dashboardSso.clientId), 'sso.client_id'),
    clientSecret: config.get(dashboardSso.clientSecret),
    issuer: demand(config.get(dashboardSso.jwtIssuer), 'sso.jwt_issuer'),
    discoveryUrl: isManual ? undefined : absolute(discovery),
    endpoints: withKeys,
    redirectUrl: redirectUrlOf(config, port),
    signedOutUrl: ownAddress(config, dashboardSso.signOutRedirectUrl, port),
    origins: config
      .get(dashboardSso.resourceServerURLs)
      .map((url) => new URL(config.has(dashboardSso.resourceServerURLs) ? url : atPort(url, port)).origin),
    takesCookies: config.get(dashboardSso.sendCookiesInRequests) === true,
    groupClaim: config.get(dashboardSso.adminGroupAttribute) ?? 'groups',
    adminGroups: config.get(dashboardSso.adminGroups) ?? [],
    usesPkce: config.get(dashboardSso.enablePkce),
    scope: [...new Set(['openid', ...(config.get(dashboardSso.scope) ?? [])])].join(' '),
    nameClaim: config.get(dashboardSso.userNameAttribute),
    audiences: [
      demand(config.get(dashboardSso.clientId), 'sso.client_id'),
      ...(config.get(dashboardSso.additionalTrustedAudience) ?? []),
    ],
    algorithms: algorithm === undefined ? undefined : [algorithm],
    parameters: readParameters(config),
  };
}

const endpointKeys = {
  authorize: dashboardSso.authorizationEndpoint,
  token: dashboardSso.tokenEndpoint,
  jwks: dashboardSso.jwksEndpoint,
  userinfo: dashboardSso.userInfoEndpoint,
  revoke: dashboardSso.revocationEndpoint,
  introspect: dashboardSso.introspectionEndpoint,
  endSession: dashboardSso.endSessionEndpoint,
} as const;

function demandEndpoints(config: Config): void {
  const { authorize, token, userinfo, revoke, introspect, endSession } = endpointKeys;
  const demanded = [authorize, token, userinfo, revoke, introspect, endSession];
  const missing = demanded.filter((key) => config.get(key) === undefined);
  if (missing.length === 0) return;
  throw new MillraceError({
    code: 'MR_DASHBOARD_CONFIG',
    message: `sso.override_well_known_endpoint = true needs ${missing.map(({ path }) => path).join(', ')}`,
  });
}

/** An address of the dashboard: the written one, else the usual one with the port that the dashboard has. */
function ownAddress(config: Config, key: typeof dashboardSso.signOutRedirectUrl, port: number): string {
  const url = config.get(key);
  return config.has(key) ? url : atPort(url, port);
}

/** A port that the system chooses is not known before it listens. */
function atPort(url: string, port: number): string {
  return port === 0 ? url : url.replace(/:\d+/, `:${port}`);
}

function redirectUrlOf(config: Config, port: number): string {
  const url = ownAddress(config, dashboardSso.signInRedirectUrl, port);
  if (URL.canParse(url) && new URL(url).pathname === '/sso') return url;
  throw new MillraceError({
    code: 'MR_DASHBOARD_CONFIG',
    message: `sso.sign_in_redirect_URL must have the path /sso; found ${url}`,
  });
}

function readParameters(config: Config): SsoSettings['parameters'] {
  const section = dashboardSsoAuthorizationRequestParams;
  return config.list(section).flatMap((table) => {
    const name = table.get(section.key);
    const value = table.get(section.value);
    if (name === undefined || value === undefined || name === '' || value === '') return [];
    if (reservedParameters.has(name)) {
      throw new MillraceError({
        code: 'MR_DASHBOARD_CONFIG',
        message: `sso.authorization_request.params may not set ${name}, which the dashboard decides`,
      });
    }
    return [[name, value] as const];
  });
}

function demand(value: string | undefined, path: string): string {
  if (value !== undefined) return value;
  throw new MillraceError({ code: 'MR_DASHBOARD_CONFIG', message: `sso.enable = true needs ${path}` });
}
