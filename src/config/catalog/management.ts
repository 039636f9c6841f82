import { defineSection, key } from './define.ts';
import { boolean, duration, integer, list, port, secret, text } from './types.ts';

export const dashboardConfig = defineSection({
  path: 'dashboard_config',
  doc: 'Where this runtime announces itself.',
  keys: {
    dashboardUrl: key('dashboard_url', text(), {
      note: 'sample https://localhost:9743/dashboard/api/',
      additional: true,
      doc: 'Dashboard API the runtime reports to.',
      effect: 'POST <url>/heartbeat every heartbeat_interval.',
    }),
    heartbeatInterval: key('heartbeat_interval', duration('s'), {
      default: 10,
      note: 'code 10; samples 5',
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
      doc: 'Address the dashboard calls back.',
      effect: 'sent in the heartbeat.',
    }),
    managementPort: key('management_port', port(), {
      additional: true,
      doc: 'Address the dashboard calls back.',
      effect: 'sent in the heartbeat.',
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
      doc: 'Management API of the integrator.',
      effect: 'token store 200 entries, clean-up 600 s, expiry 3600 s.',
    }),
    jwtTokenSecurityHandlerEnable: key('jwt_token_security_handler.enable', boolean(), {
      default: true,
      additional: true,
      doc: 'Management API of the integrator.',
      effect: 'token store 200 entries, clean-up 600 s, expiry 3600 s.',
    }),
    jwtTokenSecurityHandlerTokenStoreConfigMaxSize: key(
      'jwt_token_security_handler.token_store_config.max_size',
      integer({ min: 0 }),
      {
        default: 200,
        additional: true,
        doc: 'Management API of the integrator.',
        effect: 'token store 200 entries, clean-up 600 s, expiry 3600 s.',
      },
    ),
    jwtTokenSecurityHandlerTokenStoreConfigCleanUpInterval: key(
      'jwt_token_security_handler.token_store_config.clean_up_interval',
      duration('s'),
      {
        default: 600,
        additional: true,
        doc: 'Management API of the integrator.',
        effect: 'token store 200 entries, clean-up 600 s, expiry 3600 s.',
      },
    ),
    jwtTokenSecurityHandlerTokenStoreConfigRemoveOldestTokenOnOverflow: key(
      'jwt_token_security_handler.token_store_config.remove_oldest_token_on_overflow',
      boolean(),
      {
        default: true,
        additional: true,
        doc: 'Management API of the integrator.',
        effect: 'token store 200 entries, clean-up 600 s, expiry 3600 s.',
      },
    ),
    jwtTokenSecurityHandlerTokenConfigExpiry: key('jwt_token_security_handler.token_config.expiry', duration('s'), {
      default: 3600,
      additional: true,
      doc: 'Management API of the integrator.',
      effect: 'token store 200 entries, clean-up 600 s, expiry 3600 s.',
    }),
    jwtTokenSecurityHandlerTokenConfigSize: key('jwt_token_security_handler.token_config.size', integer({ min: 0 }), {
      default: 2048,
      additional: true,
      doc: 'Management API of the integrator.',
      effect: 'token store 200 entries, clean-up 600 s, expiry 3600 s.',
    }),
    authorizationHandlerEnable: key('authorization_handler.enable', boolean(), {
      default: true,
      additional: true,
      doc: 'Management API of the integrator.',
      effect: 'token store 200 entries, clean-up 600 s, expiry 3600 s.',
    }),
    basicSecurityHandlerEnable: key('basic_security_handler.enable', boolean(), {
      default: false,
      additional: true,
      doc: 'Management API of the integrator.',
      effect: 'token store 200 entries, clean-up 600 s, expiry 3600 s.',
    }),
    corsEnable: key('cors.enable', boolean(), {
      default: true,
      additional: true,
      doc: 'Management API of the integrator.',
      effect: 'token store 200 entries, clean-up 600 s, expiry 3600 s.',
    }),
    corsAllowedOrigins: key('cors.allowed_origins', list(), {
      default: '*',
      additional: true,
      doc: 'Management API of the integrator.',
      effect: 'token store 200 entries, clean-up 600 s, expiry 3600 s.',
    }),
    corsAllowedHeaders: key('cors.allowed_headers', list(), {
      default: 'Authorization, Content-Type',
      additional: true,
      doc: 'Management API of the integrator.',
      effect: 'token store 200 entries, clean-up 600 s, expiry 3600 s.',
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
      doc: 'File user store of the integrator ([internal_apis.file_user_store] enable = true).',
      effect: 'accounts of the management API.',
    }),
    userPassword: key('user.password', secret(), {
      additional: true,
      doc: 'File user store of the integrator ([internal_apis.file_user_store] enable = true).',
      effect: 'accounts of the management API.',
    }),
    userIsAdmin: key('user.is_admin', boolean(), {
      additional: true,
      doc: 'File user store of the integrator ([internal_apis.file_user_store] enable = true).',
      effect: 'accounts of the management API.',
    }),
  },
});
