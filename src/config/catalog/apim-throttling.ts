import { defineSection, key } from './define.ts';
import { boolean, className, duration, integer, list, oneOf, port, secret, text } from './types.ts';

export const apimThrottling = defineSection({
  path: 'apim.throttling',
  doc: 'Throttling and the traffic manager.',
  keys: {
    eventType: key('event_type', oneOf('Binary', 'Thrift'), {
      default: 'Binary',
      doc: 'Transport of throttle events.',
      mapped:
        'Binary = binary event protocol over TCP/TLS to the traffic manager; Thrift = not spoken here, start-up warning and fall back to Binary; same process = direct call.',
    }),
    receiverUrl: key('receiver_url', text(), {
      default: 'tcp://${carbon.local.ip}:${receiver.url.port}',
      note: 'local traffic-manager receiver URL (tcp 9611 plus offset)',
      doc: 'Traffic manager URL.',
      effect: 'single target; wins over url_group.',
    }),
    enableHeaderBasedThrottling: key('enable_header_based_throttling', boolean(), {
      default: false,
      doc: 'Header conditions.',
      effect: 'policy editor offers them and the gateway evaluates them; when off stored conditions are ignored.',
    }),
    enableJwtClaimBasedThrottling: key('enable_jwt_claim_based_throttling', boolean(), {
      default: false,
      doc: 'JWT-claim conditions.',
      effect: 'conditions on JWT claims can be written and are evaluated.',
    }),
    enableQueryParamBasedThrottling: key('enable_query_param_based_throttling', boolean(), {
      default: false,
      doc: 'Query-parameter conditions.',
      effect: 'conditions on query parameters can be written and are evaluated.',
    }),
    enableUnlimitedTier: key('enable_unlimited_tier', boolean(), {
      default: true,
      doc: 'Unlimited tier available.',
      effect: 'false removes the Unlimited policies from lists and rejects them.',
    }),
    skipRedeployingPolicies: key('skip_redeploying_policies', list(), {
      doc: 'Policies not redeployed at start-up.',
      effect: 'list of policy names skipped by the start-up policy loader.',
    }),
    enableDecisionConnection: key('enable_decision_connection', boolean(), {
      default: true,
      doc: 'JMS retrieval connection.',
      effect: 'subscribes to throttle decisions, key templates and blocking conditions.',
    }),
    enableDataPublishing: key('enable_data_publishing', boolean(), {
      default: true,
      doc: 'Publish request data.',
      effect: 'gateway sends one event per request to the traffic manager.',
    }),
    enablePolicyDeploy: key('enable_policy_deploy', boolean(), {
      default: true,
      doc: 'Deploy policies.',
      effect: 'control plane pushes policies to the traffic manager.',
    }),
    enableBlacklistCondition: key('enable_blacklist_condition', boolean(), {
      default: true,
      doc: 'Blocking conditions.',
      effect: 'blocking conditions evaluated at the gateway.',
    }),
    enablePersistence: key('enable_persistence', boolean(), {
      default: false,
      doc: 'Persist counters.',
      effect: 'counters snapshotted to the database and restored at start.',
    }),
    throttleDecisionEndpoints: key('throttle_decision_endpoints', list(), {
      note: 'a sample shows ["tcp://localhost:5672","tcp://localhost:5672"]',
      doc: 'JMS connection URLs.',
      effect: 'tcp://host:port list; tried in order with retry 5 and delay 50 ms; several = fail-over list.',
    }),
    decisionConnectionType: key('decision_connection_type', text(), {
      default: 'andes',
      doc: 'JMS type.',
      mapped: 'andes = AMQP 0-9-1 client; other values need jms.java_naming_factory_initial.',
    }),
    jmsSsl: key('jms.ssl', boolean(), {
      default: false,
      doc: 'TLS on the JMS connection.',
      effect: 'TLS with the client trust store.',
    }),
    jmsStartDelay: key('jms.start_delay', duration('ms'), {
      note: 'a sample shows 5m',
      doc: 'Delay before the first connection.',
      effect: 'wait before the first connection.',
    }),
    jmsConnJndiName: key('jms.conn_jndi_name', text(), {
      default: 'TopicConnectionFactory',
      doc: 'Connection factory name.',
      mapped: 'label of the connection; the value must match a connectionfactory.* entry when a JNDI file is used.',
    }),
    jmsDestination: key('jms.destination', text(), {
      default: 'throttleData',
      doc: 'Topic name.',
      effect: 'topic subscribed for decisions.',
    }),
    jmsDestinationType: key('jms.destination_type', text(), {
      default: 'topic',
      doc: 'Destination type.',
      effect: 'topic (queue gives a start-up error).',
    }),
    jmsJavaNamingFactoryInitial: key('jms.java_naming_factory_initial', className(), {
      doc: 'Initial context factory.',
      mapped: 'known class names select the AMQP 0-9-1 client; others -> broker extension module.',
    }),
    jmsTopicConnectionFactory: key('jms.topic_connection_factory', text(), {
      doc: 'Connection factory.',
      mapped: 'complete AMQP URL; wins over throttle_decision_endpoints.',
    }),
    jmsUsername: key('jms.username', text(), {
      defaultFrom: '$ref{apim.throttling.username}',
      doc: 'JMS user.',
      effect: 'sign-in at the broker.',
    }),
    jmsPassword: key('jms.password', secret(), {
      defaultFrom: '$ref{apim.throttling.password}',
      doc: 'JMS password.',
      effect: 'broker login; URL-encoded by us (the real product pastes it raw into the URL, so @ : / break it).',
    }),
    username: key('username', text(), {
      defaultFrom: '$ref{super_admin.username}',
      additional: true,
      doc: 'Root of the credential defaults.',
      effect: 'default of receiver, policy_deploy and jms user names.',
    }),
    password: key('password', secret(), {
      defaultFrom: '$ref{super_admin.password}',
      additional: true,
      doc: 'Root of the credential defaults.',
      effect: 'default of receiver, policy_deploy and jms passwords.',
    }),
    enableAdvancedThrottling: key('enable_advanced_throttling', boolean(), {
      default: true,
      additional: true,
      doc: 'Central counters.',
      effect: 'false = local counters only.',
    }),
    sequentialFailoverFromBeginning: key('sequential_failover_from_beginning', boolean(), {
      default: false,
      additional: true,
      doc: 'Fail-over order.',
      effect: 'restart the list at the first URL.',
    }),
    policyDeployTenantLoadingEnable: key('policy_deploy.tenant_loading.enable', boolean(), {
      default: true,
      additional: true,
      doc: 'Load tenant policies.',
      effect: 'start-up load.',
    }),
    policyDeployTenantLoadingTenants: key('policy_deploy.tenant_loading.tenants', list(), {
      default: '*',
      additional: true,
      doc: 'Tenants loaded.',
      effect: 'names, * and !name.',
    }),
  },
});

export const apimThrottlingBlacklistCondition = defineSection({
  path: 'apim.throttling.blacklist_condition',
  doc: 'Fetching of blocking conditions.',
  keys: {
    startDelay: key('start_delay', duration('ms'), {
      note: 'a sample shows 5m',
      doc: 'Delay before loading blocking conditions.',
      effect: 'wait before the first fetch.',
    }),
    period: key('period', duration('ms'), {
      note: 'a sample shows 1h',
      doc: 'Reload period.',
      effect: 'reload interval.',
    }),
  },
});

export const apimThrottlingEventSync = defineSection({
  path: 'apim.throttling.event_sync',
  doc: 'Event synchronisation of traffic managers.',
  keys: {
    hostName: key('hostName', text(), {
      note: 'a sample shows 0.0.0.0',
      aliases: ['hostname'],
      doc: 'Bind host of event sync.',
      mapped: 'bind address of the counter synchronization endpoint between traffic manager nodes.',
    }),
    port: key('port', port(), {
      note: 'a sample shows 11224',
      doc: 'Port of event sync.',
      mapped: 'port of that endpoint (offset applies).',
    }),
  },
});

export const apimThrottlingEventManagement = defineSection({
  path: 'apim.throttling.event_management',
  doc: 'Event management of traffic managers.',
  keys: {
    hostName: key('hostName', text(), {
      note: 'a sample shows 0.0.0.0',
      aliases: ['hostname'],
      doc: 'Bind host of event management.',
      mapped: 'bind address of the node management endpoint.',
    }),
    port: key('port', port(), {
      note: 'a sample shows 10005',
      doc: 'Port of event management.',
      mapped: 'port of that endpoint (offset applies).',
    }),
  },
});

export const apimThrottlingUrlGroup = defineSection({
  path: 'apim.throttling.url_group',
  repeated: true,
  doc: 'Groups of traffic managers.',
  keys: {
    trafficManagerUrls: key('traffic_manager_urls', list(), {
      required: true,
      note: 'a sample shows tcp://localhost:9611',
      doc: 'Binary server URLs.',
      effect: 'event targets of one group.',
    }),
    trafficManagerAuthUrls: key('traffic_manager_auth_urls', list(), {
      required: true,
      note: 'a sample shows ssl://localhost:9711',
      doc: 'Authentication URLs.',
      effect: 'TLS login endpoints, same order and length as traffic_manager_urls (checked at start-up).',
    }),
    type: key('type', oneOf('failover', 'loadbalance'), {
      default: 'failover',
      doc: 'Distribution.',
      effect: 'failover or round robin.',
    }),
    username: key('username', text(), {
      defaultFrom: '$ref{super_admin.username}',
      doc: 'User.',
      effect: 'user of this group.',
    }),
    password: key('password', secret(), {
      defaultFrom: '$ref{super_admin.password}',
      doc: 'Password.',
      effect: 'password of this group.',
    }),
    receiverUsername: key('receiver_username', text(), {
      defaultFrom: '$ref{super_admin.username}',
      doc: 'Receiver user.',
      effect: 'receiver user of this group.',
    }),
    receiverPassword: key('receiver_password', secret(), {
      defaultFrom: '$ref{super_admin.password}',
      doc: 'Receiver password.',
      effect: 'receiver password of this group.',
    }),
    policyDeployUsername: key('policy_deploy.username', text(), {
      defaultFrom: '$ref{super_admin.username}',
      doc: 'Policy deployer user.',
      effect: 'policy deployer user of this group.',
    }),
    policyDeployPassword: key('policy_deploy.password', secret(), {
      defaultFrom: '$ref{super_admin.password}',
      doc: 'Policy deployer password.',
      effect: 'policy deployer password of this group.',
    }),
    jmsUsername: key('jms.username', text(), {
      defaultFrom: '$ref{super_admin.username}',
      doc: 'Jms user.',
      effect: 'JMS user of this group.',
    }),
    jmsPassword: key('jms.password', secret(), {
      defaultFrom: '$ref{super_admin.password}',
      doc: 'Jms password.',
      effect: 'JMS password of this group.',
    }),
    publisherMaxIdle: key('publisher.max_idle', integer({ min: 0 }), {
      default: 1000,
      doc: 'Publisher object pool maximum.',
      mapped: 'upper bound of queued event objects before events are dropped with a counter.',
    }),
    publisherInitIdleSize: key('publisher.init_idle_size', integer({ min: 0 }), {
      default: 200,
      doc: 'Publisher object pool initial size.',
      inert: 'objects are allocated on demand; accepted with a debug note.',
    }),
    publisherPoolSize: key('publisher.pool_size', integer({ min: 0 }), {
      default: 200,
      doc: 'Publisher threads.',
      mapped: 'maximum concurrent event sends (core).',
    }),
    publisherMaxPoolSize: key('publisher.max_pool_size', integer({ min: 0 }), {
      default: 1000,
      doc: 'Publisher maximum threads.',
      mapped: 'maximum concurrent event sends (burst).',
    }),
    publisherKeepAliveTime: key('publisher.keep_alive_time', duration('s'), {
      default: '200s',
      doc: 'Idle thread life.',
      mapped: 'idle time after which an extra sender connection is closed.',
    }),
    serviceUrl: key('service_url', text(), {
      required: true,
      default: 'https://localhost:${mgt.transport.https.port}/services/',
      doc: 'Traffic manager service.',
      effect: 'where the control plane deploys policies.',
    }),
    blacklistConditionStartDelay: key('blacklist_condition.start_delay', duration('ms'), {
      doc: 'Delay.',
      effect: 'same meaning as apim.throttling.blacklist_condition.start_delay.',
    }),
  },
});
