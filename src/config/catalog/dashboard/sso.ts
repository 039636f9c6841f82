import { defineSection, key } from '../define.ts';
import { boolean, list, oneOf, secret, text } from '../types.ts';

export const dashboardSso = defineSection({
  path: 'sso',
  file: 'dashboard',
  doc: 'Single sign-on.',
  keys: {
    enable: key('enable', boolean(), {
      required: true,
      default: false,
      doc: 'Turns SSO on.',
      effect: 'shows the SSO button, activates Bearer-token authentication of the dashboard API and the /sso route.',
    }),
    clientId: key('client_id', text(), {
      required: true,
      doc: 'Client id issued by the identity provider.',
      effect:
        'client_id of the authorization request, of introspection calls and first element of the accepted aud list.',
    }),
    baseUrl: key('base_url', text(), {
      required: true,
      doc: 'URL of the identity provider.',
      effect: 'prefix of every endpoint that is not given explicitly.',
    }),
    wellKnownEndpoint: key('well_known_endpoint', text(), {
      whenAbsent: 'made from base_url',
      doc: 'OpenID Connect metadata endpoint.',
      effect: 'discovery document fetched at start-up (retry with back-off) to fill the endpoints not overridden.',
    }),
    jwtIssuer: key('jwt_issuer', text(), {
      required: true,
      doc: 'Issuer identifier.',
      effect: 'expected iss of ID/access tokens; must match exactly.',
    }),
    overrideWellKnownEndpoint: key('override_well_known_endpoint', boolean(), {
      default: false,
      doc: 'Manual endpoints instead of discovery.',
      effect: 'when true, skip discovery and require the six endpoints; start-up error naming the missing ones.',
    }),
    jwksEndpoint: key('jwks_endpoint', text(), {
      doc: 'JWKS endpoint.',
      effect:
        'key set for JWT verification (cached, refreshed on unknown kid); otherwise jwks_uri of the discovery document.',
    }),
    authorizationEndpoint: key('authorization_endpoint', text(), {
      default: '/oauth2/authorize',
      doc: 'Authorization endpoint.',
      effect: 'target of the browser redirect; relative values are resolved against base_url.',
    }),
    tokenEndpoint: key('token_endpoint', text(), {
      default: '/oauth2/token',
      doc: 'Token endpoint.',
      effect: 'code exchange.',
    }),
    userInfoEndpoint: key('user_info_endpoint', text(), {
      doc: 'User info endpoint.',
      effect: 'read for the group claim when the access token is opaque; otherwise userinfo_endpoint of discovery.',
    }),
    revocationEndpoint: key('revocation_endpoint', text(), {
      default: '/oauth2/revoke',
      doc: 'Token revocation endpoint.',
      effect: 'called on logout.',
    }),
    introspectionEndpoint: key('introspection_endpoint', text(), {
      doc: 'Introspection endpoint.',
      effect:
        'validates opaque access tokens (active=true), client authentication with client_id and client_secret in the body.',
    }),
    endSessionEndpoint: key('end_session_endpoint', text(), {
      default: '/oidc/logout',
      doc: 'Logout endpoint.',
      effect: 'RP-initiated logout target with id_token_hint and post_logout_redirect_uri.',
    }),
    resourceServerURLs: key('resource_server_URLs', list(), {
      required: true,
      default: ['https://localhost:9743'],
      doc: 'URLs of the dashboard.',
      effect:
        'origins to which the browser client may attach the access token; also allowed CORS origins of the dashboard API.',
    }),
    signInRedirectUrl: key('sign_in_redirect_URL', text(), {
      required: true,
      default: 'https://localhost:9743/sso',
      doc: 'Redirect target after sign-in.',
      effect: 'redirect_uri of the authorization request; the path must be /sso.',
    }),
    signOutRedirectUrl: key('sign_out_redirect_URL', text(), {
      default: 'https://localhost:9743',
      doc: 'Redirect target after sign-out.',
      effect: 'post_logout_redirect_uri.',
    }),
    adminGroupAttribute: key('admin_group_attribute', text(), {
      whenAbsent: 'groups',
      doc: 'Claim that carries the groups.',
      effect: 'claim read from the JWT or from user info to decide admin rights.',
    }),
    adminGroups: key('admin_groups', list(), {
      doc: 'Groups whose members are admins.',
      effect: 'exact, case-sensitive match of any group; admins may use the log configuration and user pages.',
    }),
    enablePkce: key('enable_PKCE', boolean(), {
      default: true,
      doc: 'Send a PKCE challenge.',
      effect: 'S256 code_challenge and code_verifier.',
    }),
    scope: key('scope', list(), {
      default: ['openid'],
      doc: 'Requested scopes.',
      effect: 'joined with spaces in the scope parameter; openid is added when missing.',
    }),
    userNameAttribute: key('user_name_attribute', text(), {
      default: 'sub',
      doc: 'Attribute shown as user name.',
      effect: 'claim displayed in the header of the web UI.',
    }),
    additionalTrustedAudience: key('additional_trusted_audience', list(), {
      doc: 'Extra accepted audiences.',
      effect: 'aud must intersect {client_id} plus this list.',
    }),
    clientSecret: key('client_secret', secret(), {
      additional: true,
      doc: 'Secret of the confidential client.',
      effect: 'authenticates introspection and token calls; keep it on the server side only.',
    }),
    jwksAlgorithm: key('jwks_algorithm', text(), {
      whenAbsent: 'what the provider uses, mostly RS256',
      additional: true,
      doc: 'Signature algorithm expected.',
      effect: 'allow-list of one JWS algorithm.',
    }),
    storage: key('storage', oneOf('webWorker', 'sessionStorage', 'localStorage'), {
      default: 'webWorker',
      additional: true,
      doc: 'Where the browser client keeps the session.',
      mapped:
        'no browser SDK here; sessions are HttpOnly cookies kept by the server. Value accepted, sessionStorage and localStorage produce a warning.',
    }),
    sendCookiesInRequests: key('send_cookies_in_requests', boolean(), {
      additional: true,
      doc: 'Browser client sends cookies.',
      effect: 'scripts of resource_server_URLs may send cookies to the API.',
    }),
    registrationEndpoint: key('registration_endpoint', text(), {
      additional: true,
      doc: 'Client registration endpoint.',
      inert: 'accepted for completeness; the dashboard never registers clients.',
    }),
    checkSessionIframeEndpoint: key('check_session_Iframe_endpoint', text(), {
      additional: true,
      doc: 'Session iframe.',
      inert: 'no session iframe polling in the server-side design.',
    }),
  },
});

export const dashboardSsoAuthorizationRequestParams = defineSection({
  path: 'sso.authorization_request.params',
  repeated: true,
  file: 'dashboard',
  doc: 'Further parameters of the authorization request.',
  keys: {
    key: key('key', text(), {
      required: true,
      doc: 'Name of an extra request parameter.',
      effect: 'appended to the authorization request; reserved OAuth parameters are rejected at start-up.',
    }),
    value: key('value', text(), {
      required: true,
      doc: 'Value of that parameter.',
      effect: 'value of that parameter, URL-encoded.',
    }),
  },
});
