import { defineSection, key } from './define.ts';
import { boolean, className, duration, integer, list, oneOf, secret, text } from './types.ts';

export const apimKeyManager = defineSection({
  path: 'apim.key_manager',
  doc: 'Where tokens are validated.',
  keys: {
    serviceUrl: key('service_url', text(), {
      required: true,
      default: 'https://localhost:${mgt.transport.https.port}/services/',
      doc: 'Key manager services.',
      effect:
        'base URL of the key manager (validation, introspection, client registration) when the node is a separate gateway; same process = direct call.',
    }),
    username: key('username', text(), {
      defaultFrom: '$ref{super_admin.username}',
      doc: 'Credentials on the key manager node.',
      effect: 'Basic credentials of those calls.',
    }),
    password: key('password', secret(), {
      defaultFrom: '$ref{super_admin.password}',
      doc: 'Credentials on the key manager node.',
      effect: 'belongs to the user name beside it.',
    }),
    poolInitIdleCapacity: key('pool.init_idle_capacity', integer({ min: 0 }), {
      default: 50,
      doc: 'Minimum clients.',
      mapped: 'keep-alive sockets opened at start toward the key manager (capped by pool.max_idle).',
    }),
    poolMaxIdle: key('pool.max_idle', integer({ min: 0 }), {
      default: 100,
      doc: 'Maximum clients.',
      mapped: 'maximum sockets of the key manager HTTP agent.',
    }),
    keyValidationHandlerType: key('key_validation_handler_type', oneOf('default', 'custom'), {
      default: 'default',
      doc: 'Handler kind.',
      effect: 'default = built-in chain, custom = implementation below.',
    }),
    keyValidationHandlerImpl: key('key_validation_handler_impl', className(), {
      doc: 'Class when type is custom.',
      mapped:
        'module specifier of a key validation extension; missing with custom is a start-up error (the real check never fires).',
    }),
  },
});

export const apimHttpClient = defineSection({
  path: 'apim.http_client',
  doc: 'Connections for key validation calls.',
  keys: {
    maxTotal: key('max_total', integer({ min: 0 }), {
      required: true,
      default: 100,
      doc: 'Maximum connections for key validation calls.',
      effect:
        'maxTotalSockets of the outgoing agent used for introspection, JWKS and key manager calls; JWT access tokens need none.',
    }),
    defaultMaxPerRoute: key('default_max_per_route', integer({ min: 0 }), {
      required: true,
      default: 50,
      doc: 'Maximum connections per host.',
      effect: 'connections at once to one origin.',
    }),
    connectionTimeout: key('connection_timeout', duration('ms', { min: -1 }), {
      default: -1,
      additional: true,
      doc: 'Connect timeout.',
      effect: 'time after which connecting fails; -1 sets none.',
    }),
  },
});

export const apimOauthConfig = defineSection({
  path: 'apim.oauth_config',
  doc: 'OAuth at the gateway.',
  keys: {
    enableOutboundAuthHeader: key('enable_outbound_auth_header', boolean(), {
      default: false,
      aliases: ['apim.oauth_config.remove_outbound_auth_header (old, inverted)'],
      doc: 'Pass the auth header to the backend.',
      effect: 'false strips the authorization header after validation.',
    }),
    authHeader: key('auth_header', text(), {
      default: 'Authorization',
      doc: 'OAuth header name.',
      effect: 'header read by the gateway; per-API override possible; also added to the CORS allow list.',
    }),
    revokeEndpoint: key('revoke_endpoint', text(), {
      default: 'https://localhost:${https.nio.port}/revoke',
      note: "later versions of the original show the key manager's /oauth2/revoke",
      doc: 'Revocation endpoint shown.',
      effect:
        'revocation endpoint that discovery announces, unless `[oauth.endpoints] oauth2_revoke_url` is written; `/revoke` answers on the API port in any case.',
    }),
    enableTokenEncryption: key('enable_token_encryption', boolean(), {
      default: false,
      doc: 'Encrypt stored tokens.',
      effect: 'tokens stored AES-GCM encrypted with the internal key.',
    }),
    enableTokenHashing: key('enable_token_hashing', boolean(), {
      default: false,
      doc: 'Hash stored tokens.',
      effect: 'tokens stored as SHA-256; the portal can show a token only once.',
    }),
    allowedScopes: key('allowed_scopes', list(), {
      default: ['^device_.*', 'openid'],
      aliases: ['apim.oauth_config.white_listed_scopes'],
      doc: 'Allowlisted scope patterns.',
      effect: 'full-match regular expressions; matching scopes skip the role check.',
    }),
  },
});

export const apimTokenRevocation = defineSection({
  path: 'apim.token.revocation',
  doc: 'How revoked tokens become known.',
  keys: {
    notifierImpl: key('notifier_impl', className(), {
      whenAbsent: 'the built-in one',
      doc: 'Custom notifier class.',
      mapped: 'module with notify(revocation), which takes the place of both notices.',
    }),
    enableRealtimeNotifier: key('enable_realtime_notifier', boolean(), {
      default: true,
      doc: 'Real-time notification.',
      effect: 'revocations are told at once to who listens in the process.',
    }),
    realtimeNotifierTtl: key('realtime_notifier.ttl', duration('ms'), {
      default: 5000,
      doc: 'Life of the notification.',
      effect: 'life that the notice carries.',
    }),
    enablePersistentNotifier: key('enable_persistent_notifier', boolean(), {
      default: true,
      doc: 'Persistent notification.',
      mapped: 'revoked ids are put into the store below, where its address is written; the database has them anyway.',
    }),
    persistentNotifierHostname: key('persistent_notifier.hostname', text(), {
      default: 'https://localhost:2379/v2/keys/jti/',
      doc: 'Key-value store URL.',
      mapped: 'store that speaks the HTTP of etcd 2; the database alone where nothing is written.',
    }),
    persistentNotifierTtl: key('persistent_notifier.ttl', duration('ms'), {
      default: 5000,
      doc: 'TTL in the store.',
      effect: 'TTL of entries.',
    }),
    persistentNotifierUsername: key('persistent_notifier.username', text(), {
      doc: 'Store user.',
      effect: 'basic authentication.',
    }),
    persistentNotifierPassword: key('persistent_notifier.password', secret(), {
      doc: 'Store password.',
      effect: 'basic authentication.',
    }),
  },
});
