import { defineSection, key } from './define.ts';
import { bag, boolean, className, list, oneOf, port, secret, text } from './types.ts';

export const apimAnalytics = defineSection({
  path: 'apim.analytics',
  doc: 'Publishing of analytics events.',
  keys: {
    enable: key('enable', boolean(), {
      required: true,
      default: false,
      doc: 'Turns analytics on.',
      effect: 'gateway emits one event per request (success, fault) to the configured reporter.',
    }),
    storeApiUrl: key('store_api_url', text(), {
      required: true,
      default: 'https://localhost:7444',
      doc: 'Store REST API.',
      mapped: 'base URL used by the portals to read statistics; point it at the load balancer.',
    }),
    username: key('username', text(), {
      required: true,
      defaultFrom: '$ref{super_admin.username}',
      doc: 'Credentials on the analytics node.',
      mapped: 'Basic credentials toward the analytics node.',
    }),
    password: key('password', secret(), {
      required: true,
      defaultFrom: '$ref{super_admin.password}',
      doc: 'Credentials on the analytics node.',
      mapped: 'belongs to the user name beside it.',
    }),
    receiverUsername: key('receiver_username', text(), {
      defaultFrom: '$ref{apim.analytics.username}',
      doc: 'Event publishing credentials.',
      mapped: 'used by the event publisher.',
    }),
    receiverPassword: key('receiver_password', secret(), {
      defaultFrom: '$ref{apim.analytics.password}',
      doc: 'Event publishing credentials.',
      mapped: 'belongs to receiver_username.',
    }),
    storeApiUsername: key('store_api_username', text(), {
      defaultFrom: '$ref{apim.analytics.username}',
      doc: 'Store API credentials.',
      mapped: 'used by the statistics reader.',
    }),
    storeApiPassword: key('store_api_password', secret(), {
      defaultFrom: '$ref{apim.analytics.password}',
      doc: 'Store API credentials.',
      mapped: 'belongs to store_api_username.',
    }),
    eventPublisherType: key('event_publisher_type', oneOf('default', 'custom'), {
      default: 'default',
      doc: 'Publisher kind.',
      effect: 'default = built-in publisher, custom = event_publisher_impl.',
    }),
    eventPublisherImpl: key('event_publisher_impl', className(), {
      doc: 'Class when type is custom.',
      mapped: 'module specifier of a reporter extension (start-up error when missing and type is custom).',
    }),
    publishResponseSize: key('publish_response_size', boolean(), {
      default: false,
      doc: 'Publish response size.',
      effect: 'adds the byte count of the response to the event.',
    }),
    type: key('type', oneOf('choreo', 'elk', 'moesif', 'prometheus'), {
      additional: true,
      doc: 'Reporter of the current product.',
      effect: 'elk writes JSON lines to a log file, moesif and choreo post over HTTPS, prometheus exposes metrics.',
    }),
    propertiesByName: key('properties.<name>', bag(), {
      additional: true,
      doc: 'Reporter properties.',
      effect: 'passed to the reporter.',
    }),
    configEndpoint: key('config_endpoint', text(), {
      additional: true,
      doc: 'Authentication endpoint.',
      mapped: 'property auth.api.url of the reporter.',
    }),
    authToken: key('auth_token', secret(), {
      additional: true,
      doc: 'Token of the cloud reporter.',
      mapped: 'property of the reporter.',
    }),
  },
});

export const apimAnalyticsUrlGroup = defineSection({
  path: 'apim.analytics.url_group',
  repeated: true,
  doc: 'Groups of analytics nodes.',
  keys: {
    analyticsUrl: key('analytics_url', list(), {
      required: true,
      doc: 'Analytics server URLs.',
      mapped: 'event targets; tcp:// and ssl:// URLs select the binary event protocol, http(s):// the JSON publisher.',
    }),
    analyticsAuthUrl: key('analytics_auth_url', list(), {
      required: true,
      doc: 'Authentication URLs.',
      mapped: 'TLS login endpoint of the binary protocol, one per analytics_url.',
    }),
    type: key('type', oneOf('loadbalance', 'failover'), {
      doc: 'Distribution in the group.',
      effect: 'round robin or first-available order.',
    }),
  },
});

export const apimOpenTracer = defineSection({
  path: 'apim.open_tracer',
  doc: 'Tracing.',
  keys: {
    remoteTracerEnable: key('remote_tracer.enable', boolean(), {
      default: false,
      doc: 'Remote tracer.',
      effect: 'exports spans of gateway requests.',
    }),
    remoteTracerName: key('remote_tracer.name', oneOf('zipkin', 'jaeger', 'otlp'), {
      default: 'zipkin',
      doc: 'Tracer name.',
      effect: 'zipkin (HTTP v2 JSON), jaeger or otlp (OTLP over HTTP).',
    }),
    remoteTracerPropertiesHostname: key('remote_tracer.properties.hostname', text(), {
      default: 'localhost',
      doc: 'Collector host.',
      effect: 'exporter target.',
    }),
    remoteTracerPropertiesPort: key('remote_tracer.properties.port', port(), {
      default: 9411,
      doc: 'Collector port.',
      effect: 'exporter target.',
    }),
    logTracerEnable: key('log_tracer.enable', boolean(), {
      default: false,
      doc: 'Log tracer.',
      effect: 'spans written to the trace log.',
    }),
  },
});
