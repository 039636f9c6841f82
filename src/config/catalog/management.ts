import { defineSection, key } from './define.ts';
import { boolean, duration, integer, list, port, secret, text } from './types.ts';

export const dashboardConfig = defineSection({
  path: 'dashboard_config',
  doc: 'Where this runtime announces itself.',
  keys: {
    dashboardUrl: key('dashboard_url', text(), {
      note: 'a sample shows https://localhost:9743/dashboard/api/',
      additional: true,
      doc: 'Dashboard API the runtime reports to.',
      effect: 'POST <url>/heartbeat every heartbeat_interval.',
    }),
    heartbeatInterval: key('heartbeat_interval', duration('s'), {
      default: 10,
      note: 'samples show 5',
      additional: true,
      doc: 'Interval.',
      effect: 'interval of heartbeats.',
    }),
    groupId: key('group_id', text(), {
      default: 'default',
      additional: true,
      doc: 'Group of the node.',
      effect: 'group shown in the dashboard.',
    }),
    nodeId: key('node_id', text(), {
      additional: true,
      doc: 'Node id.',
      effect: 'id; random UUID when absent; -Dnode.id also.',
    }),
    managementHostname: key('management_hostname', text(), {
      additional: true,
      doc: 'Host that the dashboard calls back.',
      effect: 'sent in the heartbeat.',
    }),
    managementPort: key('management_port', port(), {
      additional: true,
      doc: 'Port that the dashboard calls back.',
      effect: 'sent in the heartbeat.',
    }),
  },
});

export const icpConfig = defineSection({
  path: 'icp_config',
  doc: 'The control plane that this runtime reports to, in place of a dashboard.',
  keys: {
    enabled: key('enabled', boolean(), {
      default: false,
      additional: true,
      doc: 'Reports to the control plane.',
      effect: 'sends POST <icp_url>/icp/deltaHeartbeat and /icp/heartbeat, and takes tokens of the control plane.',
    }),
    icpUrl: key('icp_url', text(), {
      default: 'https://localhost:9445',
      additional: true,
      doc: 'Address of the control plane.',
      effect: 'where reports go.',
    }),
    environment: key('environment', text(), {
      default: 'production',
      additional: true,
      doc: 'Environment of the runtime, as the control plane knows it.',
      effect: 'sent in full reports.',
    }),
    project: key('project', text(), {
      default: 'default',
      additional: true,
      doc: 'Project of the runtime.',
      effect: 'sent in full reports.',
    }),
    integration: key('integration', text(), {
      default: 'default',
      additional: true,
      doc: 'Integration that the runtime serves.',
      effect: 'sent in full reports.',
    }),
    runtime: key('runtime', text(), {
      additional: true,
      doc: 'Name of the runtime for people.',
      effect: 'sent in full reports.',
    }),
    heartbeatInterval: key('heartbeat_interval', duration('s', { min: 1 }), {
      default: 10,
      additional: true,
      doc: 'Time between reports.',
      effect: 'interval of reports.',
    }),
    secret: key('secret', secret(), {
      additional: true,
      doc: 'Key that the control plane made, as KEYID.MATERIAL.',
      effect: 'signs the tokens of both sides; needed when reports are enabled.',
    }),
    sslVerify: key('ssl_verify', boolean(), {
      default: true,
      additional: true,
      doc: 'Checks the certificate of the control plane.',
      effect: 'false reports to any certificate.',
    }),
    jwtIssuer: key('jwt_issuer', text(), {
      default: 'icp-runtime-jwt-issuer',
      additional: true,
      doc: 'Issuer in own tokens.',
      effect: 'claim iss.',
    }),
    jwtAudience: key('jwt_audience', text(), {
      default: 'icp-server',
      additional: true,
      doc: 'Audience in own tokens.',
      effect: 'claim aud.',
    }),
    jwtScope: key('jwt_scope', text(), {
      default: 'runtime_agent',
      additional: true,
      doc: 'Scope in own tokens.',
      effect: 'claim scope.',
    }),
    jwtExpirySeconds: key('jwt_expiry_seconds', duration('s', { min: 1 }), {
      default: 3600,
      additional: true,
      doc: 'Life of own tokens.',
      effect: 'claim exp; they are renewed five minutes earlier.',
    }),
    jwtClockSkewToleranceMs: key('jwt_clock_skew_tolerance_ms', duration('ms'), {
      default: 60_000,
      additional: true,
      doc: 'How much the clock of the control plane may differ.',
      effect: 'its tokens are taken so long after their end.',
    }),
  },
});

export const managementApi = defineSection({
  path: 'management_api',
  doc: 'The management API of the runtime.',
  keys: {
    protocols: key('protocols', text(), {
      default: 'https http',
      additional: true,
      doc: 'Protocols of the management API.',
      effect: 'https, http or both.',
    }),
    jwtTokenSecurityHandlerEnable: key('jwt_token_security_handler.enable', boolean(), {
      default: true,
      additional: true,
      doc: 'Demands a token.',
      effect: 'false lets every request through to the other handlers.',
    }),
    jwtTokenSecurityHandlerTokenStoreConfigMaxSize: key(
      'jwt_token_security_handler.token_store_config.max_size',
      integer({ min: 0 }),
      {
        default: 200,
        additional: true,
        doc: 'Tokens that are kept.',
        effect: 'above it the oldest goes, or sign-in is refused.',
      },
    ),
    jwtTokenSecurityHandlerTokenStoreConfigCleanUpInterval: key(
      'jwt_token_security_handler.token_store_config.clean_up_interval',
      duration('s'),
      { default: 600, additional: true, doc: 'Time between clean-ups.', effect: 'expired tokens are dropped.' },
    ),
    jwtTokenSecurityHandlerTokenStoreConfigRemoveOldestTokenOnOverflow: key(
      'jwt_token_security_handler.token_store_config.remove_oldest_token_on_overflow',
      boolean(),
      {
        default: true,
        additional: true,
        doc: 'What happens when the store is full.',
        effect: 'true drops the oldest token; false refuses sign-in.',
      },
    ),
    jwtTokenSecurityHandlerTokenConfigExpiry: key('jwt_token_security_handler.token_config.expiry', duration('s'), {
      default: 3600,
      additional: true,
      doc: 'Life of a token.',
      effect: 'exp of the token.',
    }),
    jwtTokenSecurityHandlerTokenConfigSize: key('jwt_token_security_handler.token_config.size', integer({ min: 0 }), {
      default: 2048,
      additional: true,
      doc: 'Length of the signing key in bits.',
      effect: 'RSA key made at start.',
    }),
    authorizationHandlerEnable: key('authorization_handler.enable', boolean(), {
      default: true,
      additional: true,
      doc: 'Restricts resources to administrators.',
      effect: 'other users are answered 403 there.',
    }),
    basicSecurityHandlerEnable: key('basic_security_handler.enable', boolean(), {
      default: false,
      additional: true,
      doc: 'Accepts basic authentication.',
      effect: 'true asks for user name and password in place of a token.',
    }),
    corsEnable: key('cors.enable', boolean(), {
      default: true,
      additional: true,
      doc: 'Cross-origin headers.',
      effect: 'false sends none.',
    }),
    corsAllowedOrigins: key('cors.allowed_origins', list(), {
      default: '*',
      additional: true,
      doc: 'Origins that may call.',
      effect: 'Access-Control-Allow-Origin.',
    }),
    corsAllowedHeaders: key('cors.allowed_headers', list(), {
      default: 'Authorization, Content-Type',
      additional: true,
      doc: 'Headers that may be sent.',
      effect: 'Access-Control-Allow-Headers.',
    }),
  },
});

export const userAccess = defineSection({
  path: 'user_access',
  doc: 'What users without administrative rights may do.',
  keys: {
    makeNonAdminUsersReadOnly: key('make_non_admin_users_read_only', boolean(), {
      default: false,
      additional: true,
      doc: 'Lets only administrators change anything by the management API.',
      effect: 'true answers changes of other users with 403.',
    }),
  },
});

export const internalApisUsers = defineSection({
  path: 'internal_apis.users',
  repeated: true,
  doc: 'Accounts of the management API.',
  keys: {
    userName: key('user.name', text(), {
      additional: true,
      doc: 'User name.',
      effect: 'account of the file user store.',
    }),
    userPassword: key('user.password', secret(), {
      additional: true,
      doc: 'Password.',
      effect: 'checked at sign-in; stored hashed in memory only.',
    }),
    userIsAdmin: key('user.is_admin', boolean(), {
      additional: true,
      doc: 'Whether the user is an administrator.',
      effect: 'may call the resources of administrators.',
    }),
  },
});
