import { defineSection, key } from './define.ts';
import { amount, bag, boolean, duration, integer, list, secret, text } from './types.ts';

/** Keys of Millrace itself; the original knows none of them. */
export const millrace = defineSection({
  path: 'millrace',
  doc: 'What the original has no key for.',
  keys: {
    workers: key('workers', integer({ min: 1 }), {
      default: 1,
      additional: true,
      doc: 'Processes that serve messages on the same ports.',
      effect: 'each process uses one core for messages.',
    }),
    bind: key('bind', list(), {
      additional: true,
      whenAbsent: 'API ports on all interfaces; administrative ports on loopback until the admin password was set',
      doc: 'Addresses that all listeners bind to.',
      effect: 'host of every listen().',
    }),
    trustedProxies: key('trusted_proxies', list(), {
      default: ['127.0.0.0/8', '::1'],
      additional: true,
      doc: 'Addresses and networks whose X-Forwarded-For is believed.',
      effect: 'the address of the caller is read from the header only behind these.',
    }),
    classMap: key('class_map.<class>', bag(), {
      additional: true,
      doc: 'Modules that stand in for Java classes, by class name.',
      effect: 'the module of `<home>/extensions` is loaded where the class is named.',
    }),
    replyAddresses: key('reply_addresses', list(), {
      additional: true,
      whenAbsent: 'answers go to the client alone',
      doc: 'URLs below which a `ReplyTo` or `FaultTo` of WS-Addressing may point.',
      effect: 'proxy services with <enableAddressing> send answers there; any other address is refused.',
    }),
    scriptTimeout: key('script.timeout', duration('ms', { min: 1 }), {
      default: '10s',
      additional: true,
      doc: 'Time that one run of a script or data mapping may take.',
      effect: 'a run that takes longer is stopped and fails its message.',
    }),
    scriptMemory: key('script.memory', amount('MB', { min: 8 }), {
      default: 64,
      additional: true,
      doc: 'Memory that one isolate of a script or data mapping may use.',
      effect: 'a run that needs more is stopped and fails its message.',
    }),
    webSocketMaxPayload: key('websocket.max_payload', amount('bytes', { min: 1 }), {
      default: 1_048_576,
      additional: true,
      doc: 'Most bytes of one message of a WebSocket.',
      effect: 'a longer one ends its connection with 1009.',
    }),
    webSocketPingInterval: key('websocket.ping_interval', duration('ms', { min: 0 }), {
      default: '30s',
      additional: true,
      doc: 'Silence after which the far end of a WebSocket is asked whether it is there; 0 for never.',
      effect: 'a ping; a far end that has not answered by the next one is taken to be gone.',
    }),
    webSocketIdleTimeout: key('websocket.idle_timeout', duration('ms', { min: 0 }), {
      default: 0,
      additional: true,
      doc: 'Time without a message after which a WebSocket is closed; 0 for never.',
      effect: 'the connection is closed with 1001.',
    }),
    heartbeatSecret: key('heartbeat_secret', secret(), {
      additional: true,
      whenAbsent: 'somebody approves this node on the dashboard',
      doc: 'Secret that this node and its dashboard share.',
      effect: 'sent with each heartbeat, so that the dashboard trusts the node at once.',
    }),
    logFilesEnable: key('log_files.enable', boolean(), {
      default: true,
      additional: true,
      doc: 'Whether a started server writes its log to files too.',
      effect: 'wso2carbon.log, wso2error.log and audit.log in the folder logs of the home.',
    }),
    logFilesMaxSize: key('log_files.max_size', amount('bytes', { min: 1 }), {
      default: 10_485_760,
      additional: true,
      doc: 'Size at which a log file is put aside and begun anew, as at the end of each day.',
      effect: 'the full file is called NAME-YYYY-MM-DD.N.log.',
    }),
    logFilesMaxFiles: key('log_files.max_files', integer({ min: 0 }), {
      default: 20,
      additional: true,
      doc: 'Full files that are kept of each log file.',
      effect: 'the oldest ones beyond are removed.',
    }),
    timeZone: key('time_zone', text(), {
      additional: true,
      whenAbsent: 'the time zone of the machine',
      doc: 'Time zone of schedules and formatted dates.',
      effect: 'an IANA name such as Europe/Zurich.',
    }),
    maskSecretNames: key('mask_secret_names', boolean(), {
      default: true,
      additional: true,
      doc: 'Masks values whose names speak of secrets where messages are shown.',
      effect: 'false leaves the masking of messages to `[[millrace.masking]]` alone.',
    }),
  },
});

/** Switches of the file user store, which the integration runtime reads beside `internal_apis.users`. */
export const internalApis = defineSection({
  path: 'internal_apis',
  doc: 'Accounts of the management API.',
  keys: {
    fileUserStoreEnable: key('file_user_store.enable', boolean(), {
      default: true,
      additional: true,
      doc: 'Accounts kept in the file.',
      effect: 'false signs in users of the user store.',
    }),
  },
});
