import { defineSection, key } from './define.ts';
import { boolean, duration, list, oneOf, secret, text } from './types.ts';

export const apimGatewayEnvironment = defineSection({
  path: 'apim.gateway.environment',
  repeated: true,
  doc: 'Gateways that APIs are deployed to.',
  keys: {
    name: key('name', text(), {
      required: true,
      default: 'Default',
      doc: 'Free name.',
      effect: 'unique environment name; the deployment target in revisions.',
    }),
    type: key('type', oneOf('production', 'sandbox', 'hybrid'), {
      required: true,
      default: 'hybrid',
      doc: 'Kind of keys supported.',
      effect: 'hybrid accepts both key types, production or sandbox only its own.',
    }),
    displayInApiConsole: key('display_in_api_console', boolean(), {
      required: true,
      default: true,
      doc: 'Show under Try it.',
      effect: 'environment offered in the portal console.',
    }),
    description: key('description', text(), {
      required: true,
      default: 'Hybrid gateway: serves production and sandbox traffic',
      doc: 'Free text.',
      effect: 'shown in the portals.',
    }),
    showAsTokenEndpointUrl: key('show_as_token_endpoint_url', boolean(), {
      required: true,
      default: true,
      doc: 'Used in the sample curl.',
      effect: 'environment whose https endpoint builds the token URL sample.',
    }),
    serviceUrl: key('service_url', text(), {
      required: true,
      default: 'https://localhost:${mgt.transport.https.port}/services/',
      doc: 'APIs are published through it.',
      mapped:
        'management URL of the gateway node used for the health and log calls; deployment itself is pulled by labels.',
    }),
    username: key('username', text(), {
      required: true,
      default: '${admin.username}',
      doc: 'Publishing credentials.',
      mapped: 'Basic credentials for those calls.',
    }),
    password: key('password', secret(), {
      required: true,
      default: '${admin.password}',
      doc: 'Publishing credentials.',
      mapped: 'belongs to the user name beside it.',
    }),
    wsEndpoint: key('ws_endpoint', text(), {
      required: true,
      note: 'a sample shows ws://localhost:9099',
      doc: 'ws://<host>:<port>.',
      effect: 'WebSocket URL shown for the environment.',
    }),
    httpsEndpoint: key('https_endpoint', text(), {
      required: true,
      note: 'a sample shows https://localhost:${https.nio.port}',
      doc: 'https://<host>:<port>/.',
      effect: 'HTTPS URL shown for the environment and vhost host name.',
    }),
    httpEndpoint: key('http_endpoint', text(), {
      note: 'a sample shows http://localhost:${http.nio.port}',
      doc: 'http://<host>:<port>/.',
      effect: 'HTTP URL shown for the environment; absent hides plain HTTP.',
    }),
    wssEndpoint: key('wss_endpoint', text(), {
      note: 'a sample shows wss://localhost:8099',
      additional: true,
      doc: 'wss://<host>:<port>.',
      effect: 'secure WebSocket URL shown.',
    }),
    provider: key('provider', text(), {
      default: 'wso2',
      additional: true,
      doc: 'Gateway vendor.',
      effect: 'wso2 = this gateway; other values need a gateway agent extension.',
    }),
    gatewayType: key('gateway_type', text(), {
      default: 'Regular',
      additional: true,
      doc: 'Gateway kind.',
      effect: 'filters which API types may be deployed.',
    }),
    websubEventReceiverHttpEndpoint: key('websub_event_receiver_http_endpoint', text(), {
      note: 'a sample shows port 9021',
      additional: true,
      doc: 'WebSub callback URL.',
      effect: 'shown for WebSub APIs.',
    }),
    websubEventReceiverHttpsEndpoint: key('websub_event_receiver_https_endpoint', text(), {
      note: 'a sample shows port 8021',
      additional: true,
      doc: 'WebSub callback URL.',
      effect: 'shown for WebSub APIs.',
    }),
  },
});

export const apimGatewayEnvironmentVirtualHost = defineSection({
  path: 'apim.gateway.environment.virtual_host',
  repeated: true,
  doc: 'Hosts under which a gateway serves APIs.',
  keys: {
    httpEndpoint: key('http_endpoint', text(), {
      documentedDefault: 'http://<host of https endpoint>:80',
      whenAbsent: 'made from the host of https_endpoint',
      doc: 'HTTP access URL.',
      effect: 'vhost entry: HTTP URL.',
    }),
    httpsEndpoint: key('https_endpoint', text(), {
      required: true,
      doc: 'HTTPS access URL with optional context.',
      effect:
        'vhost entry: host name, port and context path; requests are routed to APIs deployed to that vhost by the Host header.',
    }),
    wsEndpoint: key('ws_endpoint', text(), {
      documentedDefault: 'ws://<host of https endpoint>:9099',
      whenAbsent: 'made from the host of https_endpoint',
      doc: 'WebSocket URL.',
      effect: 'address of the host in the portals.',
    }),
    wssEndpoint: key('wss_endpoint', text(), {
      documentedDefault: 'wss://<host of https endpoint>:8099',
      whenAbsent: 'made from the host of https_endpoint',
      doc: 'Secure WebSocket URL.',
      effect: 'address of the host in the portals.',
    }),
  },
});

export const apimSyncRuntimeArtifactsGateway = defineSection({
  path: 'apim.sync_runtime_artifacts.gateway',
  doc: 'Which APIs a gateway fetches.',
  keys: {
    gatewayLabels: key('gateway_labels', list(), {
      required: true,
      default: ['Default'],
      doc: 'Only APIs with these labels are pulled and deployed.',
      effect: 'filter of the deployment events and of the start-up pull; a label equals an environment name.',
    }),
    enable: key('enable', boolean(), {
      default: true,
      additional: true,
      doc: 'Pull artifacts.',
      effect: 'off on control-plane nodes.',
    }),
    artifactRetriever: key('artifact_retriever', text(), {
      default: 'DBRetriever',
      additional: true,
      doc: 'Where artifacts come from.',
      mapped: 'DBRetriever -> control plane internal API; other names -> extension.',
    }),
    dataRetrievalMode: key('data_retrieval_mode', oneOf('sync', 'async'), {
      default: 'async',
      additional: true,
      doc: 'Pull at start-up.',
      effect: 'sync blocks readiness until the pull ends.',
    }),
    deploymentRetryDuration: key('deployment_retry_duration', duration('ms'), {
      default: 15000,
      additional: true,
      doc: 'Retry delay.',
      effect: 'base of the retry back-off.',
    }),
    eventWaitingTime: key('event_waiting_time', duration('ms'), {
      default: 5000,
      additional: true,
      doc: 'Delay after an event.',
      effect: 'debounce before pulling.',
    }),
  },
});
