import { apimOauthConfig, oauth, oauthOidc, type Config } from '#config';
import { offersRecovery } from '../recovery/open-recovery.ts';
import type { AnnouncedEndpoint } from './discovery.ts';

/** What the configuration says of pages and addresses. */
export interface BrowserSettings {
  /** True to lead to the error page by its address; false answers in place, with status 400 (identity 2.3). */
  readonly redirectsToErrorPage: boolean;
  /** Whether the error page's address names the application and the tenant. */
  readonly addsErrorParameters: boolean;
  /** Addresses that are announced in place of ours, by the name of the key without `_url`. */
  readonly urls: Readonly<Record<string, string>>;
  /** Addresses of pages in place of ours, by the name of the key without `_page`. */
  readonly pages: Readonly<Record<string, string>>;
  /** Whether the login page leads to account recovery. */
  readonly offersRecovery: boolean;
}

/** `resolve` fills in what only a running server knows, such as ports. */
export function readBrowserSettings(config: Config, resolve: (text: string) => string): BrowserSettings {
  const { revokeEndpoint } = apimOauthConfig;
  const ofGateway = config.has(revokeEndpoint) ? { oauth2_revoke: config.get(revokeEndpoint) } : {};
  const urls = Object.entries({ ...ofGateway, ...config.bag(oauth.endpointsByNameUrl) });
  return {
    redirectsToErrorPage: config.get(oauthOidc.idTokenRedirectErrorPage),
    addsErrorParameters: config.get(oauth.additionalParamsFromErrorUrl),
    urls: Object.fromEntries(urls.map(([name, url]) => [name, resolve(url)])),
    pages: config.bag(oauth.endpointsByNamePage),
    offersRecovery: offersRecovery(config),
  };
}

/** Names of the keys of announced addresses (identity 1.2). */
const announcedBy: Readonly<Record<AnnouncedEndpoint, string>> = {
  authorization_endpoint: 'oauth2_authz',
  pushed_authorization_request_endpoint: 'oauth2_par',
  token_endpoint: 'oauth2_token',
  userinfo_endpoint: 'oauth2_user_info',
  revocation_endpoint: 'oauth2_revoke',
  introspection_endpoint: 'oauth2_introspect',
  registration_endpoint: 'oauth2_dcr',
  device_authorization_endpoint: 'oauth2_device_authz',
  end_session_endpoint: 'oidc_logout',
  check_session_iframe: 'oidc_check_session',
  webfinger_endpoint: 'oidc_web_finger',
  jwks_uri: 'oauth2_jwks',
};

/** What discovery announces in place of our own addresses; where these answer does not change. */
export function announcedUrls({ urls }: BrowserSettings): Readonly<Partial<Record<AnnouncedEndpoint, string>>> {
  const pairs = Object.entries(announcedBy).map(([member, name]) => [member, urls[name]]);
  return Object.fromEntries(pairs.filter(([, url]) => url !== undefined)) as Partial<Record<AnnouncedEndpoint, string>>;
}
