/** A spelling that the original's mapping tables accept beside the catalog's aliases. */
export interface Mapping {
  readonly from: string;
  /** Every key that takes the value. */
  readonly to: readonly string[];
  /** True when the meaning is reversed. */
  readonly inverted?: true;
}

/** Listener keys that the blocking client's table shares with the HTTPS listener. */
const blockingListenerKeys = [
  'enable',
  'hostname',
  'origin_server',
  'request_timeout',
  'request_tcp_no_delay',
  'request_core_thread_pool_size',
  'request_max_thread_pool_size',
  'thread_keepalive_time',
  'thread_keepalive_time_unit',
];

/** Keys of the blocking client's sender, by the name of the parameter that they set. */
const blockingSenderKeys: Readonly<Record<string, string>> = {
  enable: 'sender.enable',
  enable_client_caching: 'sender.parameters.cacheHttpClient',
  transfer_encoding: 'sender.parameters.Transfer-Encoding',
  default_connections_per_host: 'sender.parameters.defaultMaxConnectionsPerHost',
  omit_soap12_action: 'sender.parameters.OmitSOAP12Action',
  so_timeout: 'sender.parameters.SO_TIMEOUT',
  proxy_host: 'sender.http.proxyHost',
  proxy_port: 'sender.http.proxyPort',
};

/** Keys of `[transport.http]` that the catalog does not list as keys of their own. */
const transportHttpKeys: Readonly<Record<string, string>> = {
  secondary_worker_pool_size_core: 'passthru_http.secondary_worker_pool_size_core',
  secondary_worker_pool_size_max: 'passthru_http.secondary_worker_pool_size_max',
  secondary_worker_pool_queue_length: 'passthru_http.secondary_worker_pool_queue_length',
  enable_message_size_validation: 'passthru_http.message.size.validation.enabled',
  consume_and_discard: 'passthru_http.consume_and_discard',
  expected_max_queueing_time: 'passthru_http.expected_max_queueing_time',
  block_service_list: 'passthru_http.http.block_service_list',
  'listener.certificate_revocation_verifier_enable':
    'transport.passthru_https.listener.cert_revocation_validation.enable',
  'listener.certificate_revocation_cache_size':
    'transport.passthru_https.listener.cert_revocation_validation.cache_size',
  'listener.certificate_revocation_cache_delay':
    'transport.passthru_https.listener.cert_revocation_validation.cache_delay',
  'listener.keystore.location': 'transport.passthru_https.listener.key_store.file_name',
  'listener.truststore.location': 'transport.passthru_https.listener.trust_store.file_name',
  'sender.keystore.location': 'transport.passthru_https.sender.key_store.file_name',
  'sender.truststore.location': 'transport.passthru_https.sender.trust_store.file_name',
  'sender.ssl_profile.file_path': 'transport.passthru_https.sender.ssl_profile.file_path',
  'sender.ssl_profile.read_interval': 'transport.passthru_https.sender.ssl_profile.interval',
};

const notificationKeys = [
  'from_address',
  'username',
  'password',
  'hostname',
  'signature',
  'port',
  'enable_start_tls',
  'enable_authentication',
];

/** Properties of every `[database.<name>]`, by their spelling with underscores. */
const poolOptions: Readonly<Record<string, string>> = {
  max_active: 'maxActive',
  max_wait: 'maxWait',
  test_on_borrow: 'testOnBorrow',
  validation_interval: 'validationInterval',
  default_auto_commit: 'defaultAutoCommit',
};

/** Spellings of single keys. */
export const mappings: readonly Mapping[] = [
  ...blockingListenerKeys.map((name) => ({
    from: `transport.blocking.http.listener.${name}`,
    to: [`transport.passthru_https.listener.${name}`],
  })),
  { from: 'transport.blocking.http.listener.port', to: ['transport.passthru_https.listener.parameters.port'] },
  ...Object.entries(blockingSenderKeys).flatMap(([name, target]) => [
    { from: `transport.blocking.http.sender.${name}`, to: [`transport.blocking_http.${target}`] },
    { from: `transport.blocking.http.sender.secured_${name}`, to: [`transport.blocking_https.${target}`] },
  ]),
  ...Object.entries(transportHttpKeys).map(([name, target]) => ({ from: `transport.http.${name}`, to: [target] })),
  ...notificationKeys.map((name) => ({ from: `apim.notification.${name}`, to: [`apim.notifications.${name}`] })),
  ...Object.entries(poolOptions).map(([from, to]) => ({
    from: `database.shared_db.pool_options.${from}`,
    to: [`database.shared_db.pool_options.${to}`],
  })),
  { from: 'apim.analytics.properties.auth.api.url', to: ['apim.analytics.config_endpoint'] },
  {
    from: 'apim.oauth_config.remove_outbound_auth_header',
    to: ['apim.oauth_config.enable_outbound_auth_header'],
    inverted: true,
  },
  { from: 'tenant_mgt.tenant_manager.config_builder', to: ['user_store.properties.MultiTenantRealmConfigBuilder'] },
  { from: 'server.gracefulShutdownTimeout', to: ['server.graceful_shutdown_timeout'] },
];

/** Sections that have another name in one of the originals. */
export const sectionSpellings: readonly (readonly [from: string, to: string])[] = [
  ['message_builder', 'message_builders'],
  ['message_formatter', 'message_formatters'],
  ['blocking.message_builder', 'blocking.message_builders'],
  ['blocking.message_formatter', 'blocking.message_formatters'],
  ['mi_super_admin', 'mi_user_store'],
];
