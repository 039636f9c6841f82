import { defineSection, key } from './define.ts';
import { bag, boolean, booleanOr, duration, integer, oneOf, secret, text, textLike } from './types.ts';

export const server = defineSection({
  path: 'server',
  doc: 'The server as a whole: addresses, role and life cycle.',
  keys: {
    hostname: key('hostname', textLike('localhost', '127.0.0.1', '<ip>', '<hostname>'), {
      required: true,
      default: 'localhost',
      doc: 'Host name or IP of the machine.',
      effect:
        'public host used to build every absolute URL (issuer, endpoints, redirects, WSDL/EPR, ${carbon.host}) and reported to the control plane; not a bind address.',
    }),
    offset: key('offset', integer({ min: 0 }), {
      default: 0,
      note: 'the integration runtime of the original falls back to 10',
      doc: 'Added to every runtime port.',
      effect:
        'added once to the base port of every listener of this process; reflected in ${mgt.transport.https.port} and the other port placeholders.',
    }),
    mode: key('mode', oneOf('single', 'ha'), {
      default: 'single',
      doc: 'Stand-alone or highly available.',
      inert: 'nodes that share a database find one another in it, however many they are.',
    }),
    basePath: key('base_path', text(), {
      default: '${carbon.protocol}://${carbon.host}:${carbon.management.port}',
      doc: 'Base address of the management console.',
      effect:
        'base of the default OAuth/OIDC endpoint URLs, of the console and of the definition of the management API; resolved after offset is applied.',
    }),
    serverRole: key(
      'server_role',
      oneOf(
        'default',
        'api-devportal',
        'api-key-manager',
        'api-publisher',
        'gateway-worker',
        'traffic-manager',
        'control-plane',
      ),
      {
        required: true,
        default: 'default',
        note: 'control-plane is a later addition',
        doc: 'Profile of the node.',
        effect: 'selects the modules that start.',
      },
    ),
    enableMtom: key('enableMTOM', booleanOr('optional'), {
      default: false,
      aliases: ['server.enable_mtom'],
      doc: 'MTOM.',
      effect:
        'SOAP responses and requests with base64 attachments are sent as multipart/related with application/xop+xml.',
    }),
    enableSwA: key('enableSwA', boolean(), {
      default: false,
      aliases: ['server.enable_swa'],
      doc: 'SOAP with Attachments.',
      effect: 'multipart/related parts are kept as attachments of the message and written back.',
    }),
    disableShutdownFromUi: key('disable_shutdown_from_ui', boolean(), {
      default: false,
      doc: 'Hide shutdown option.',
      effect: 'console hides the action and the admin API answers 403.',
    }),
    disableRestartFromUi: key('disable_restart_from_ui', boolean(), {
      default: false,
      doc: 'Hide restart option.',
      effect: 'console hides the action and the admin API answers 403.',
    }),
    nodeIp: key('node_ip', text(), {
      default: '127.0.0.1',
      additional: true,
      doc: 'IP of the node.',
      effect: '${carbon.local.ip} and cluster member address.',
    }),
    hotDeployment: key('hot_deployment', boolean(), {
      default: true,
      additional: true,
      doc: 'Watch the deployment directory.',
      effect: 'file watcher on the artifact directories.',
    }),
    proxyContextPath: key('proxy_context_path', text(), {
      default: '',
      additional: true,
      doc: 'Context added by a reverse proxy.',
      effect: 'prefix of the addresses that the server gives and of the links of its pages; the proxy takes it away.',
    }),
    gracefulShutdownEnabled: key('graceful_shutdown_enabled', boolean(), {
      default: true,
      aliases: ['server.gracefulShutdownEnabled'],
      additional: true,
      doc: 'Drain before exit.',
      effect: 'on SIGTERM stop listening, finish in-flight messages.',
    }),
    gracefulShutdownTimeout: key('graceful_shutdown_timeout', duration('ms'), {
      default: 180000,
      aliases: ['server.gracefulShutdownTimeout'],
      additional: true,
      doc: 'Drain limit.',
      effect: 'forced exit after this time.',
    }),
    defaultCacheTimeout: key('default_cache_timeout', duration('m'), {
      default: '15m',
      additional: true,
      doc: 'Default expiry of caches.',
      effect: 'time for which clients and scopes stay in memory; changes that nodes tell one another end it at once.',
    }),
    clockSkew: key('clock_skew', duration('s'), {
      default: '5m',
      additional: true,
      doc: 'Tolerated clock difference.',
      note: 'assertions have that of `[oauth] timestamp_skew` where this is not written',
      effect:
        'leeway of the times of tickets of Kerberos, and of assertions unless `[oauth] timestamp_skew` is written.',
    }),
  },
});

export const superAdmin = defineSection({
  path: 'super_admin',
  doc: 'The first administrator.',
  keys: {
    username: key('username', text(), {
      doc: 'Super admin user name.',
      effect: 'account created in the primary user store at first start with role admin; ${admin.username}.',
    }),
    password: key('password', secret(), {
      doc: 'Super admin password.',
      effect:
        'initial password; later changes go through the user API, not this file; ${admin.password} keeps the file value.',
    }),
    createAdminAccount: key('create_admin_account', boolean(), {
      default: true,
      doc: 'Create the user.',
      effect: 'false requires the user to exist already; start-up error when it does not.',
    }),
    adminRole: key('admin_role', text(), {
      default: 'admin',
      additional: true,
      doc: 'Name of the admin role.',
      effect: 'role created and granted.',
    }),
  },
});

export const systemParameter = defineSection({
  path: 'system.parameter',
  doc: 'System properties of the original, by name.',
  keys: {
    values: key('<name>', bag(), {
      additional: true,
      doc: 'System properties.',
      effect: 'read by get-property with scope system; `${…}` placeholders of the server are filled in.',
    }),
  },
});
