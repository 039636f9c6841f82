import { defineSection, key } from './define.ts';
import { bag, boolean, list, port, secret, text } from './types.ts';

export const transportWs = defineSection({
  path: 'transport.ws',
  doc: 'WebSocket back ends.',
  keys: {
    senderEnable: key('sender.enable', boolean(), {
      required: true,
      default: false,
      note: 'the API manager of the original uses true',
      doc: 'Enable the WebSocket sender.',
      effect: 'ws:// endpoints usable.',
    }),
    senderParametersWsOutflowDispatchSequence: key('sender.parameters.ws.outflow.dispatch.sequence', text(), {
      default: 'outflowDispatchSeq',
      aliases: ["sender.parameters.'ws.outflow.dispatch.sequence'", 'sender.outflow_dispatch_sequence'],
      doc: 'Sequence for frames from the backend.',
      effect: 'sequence run for every frame that arrives from the backend.',
    }),
    senderParametersWsOutflowDispatchFaultSequence: key(
      'sender.parameters.ws.outflow.dispatch.fault.sequence',
      text(),
      {
        default: 'outflowFaultSeq',
        aliases: ["sender.parameters.'ws.outflow.dispatch.fault.sequence'", 'sender.outflow_dispatch_fault_sequence'],
        doc: 'Fault sequence.',
        effect: 'sequence run when that sequence or the connection fails.',
      },
    ),
    senderParameterByName: key('sender.parameter.<name>', bag(), {
      aliases: ['sender.parameters.<name>'],
      doc: 'Custom parameters.',
      mapped: 'kept on the sender and readable by handlers.',
    }),
  },
});

export const transportWss = defineSection({
  path: 'transport.wss',
  doc: 'Secure WebSocket back ends.',
  keys: {
    senderEnable: key('sender.enable', boolean(), {
      required: true,
      default: false,
      note: 'the API manager of the original uses true',
      doc: 'Enable the WebSocket sender.',
      effect: 'wss:// endpoints usable.',
    }),
    senderParametersWsOutflowDispatchSequence: key('sender.parameters.ws.outflow.dispatch.sequence', text(), {
      default: 'outflowDispatchSeq',
      aliases: ["sender.parameters.'ws.outflow.dispatch.sequence'", 'sender.outflow_dispatch_sequence'],
      doc: 'Sequence for frames from the backend.',
      effect: 'sequence run for every frame that arrives from the backend.',
    }),
    senderParametersWsOutflowDispatchFaultSequence: key(
      'sender.parameters.ws.outflow.dispatch.fault.sequence',
      text(),
      {
        default: 'outflowFaultSeq',
        aliases: ["sender.parameters.'ws.outflow.dispatch.fault.sequence'", 'sender.outflow_dispatch_fault_sequence'],
        doc: 'Fault sequence.',
        effect: 'sequence run when that sequence or the connection fails.',
      },
    ),
    senderParameterByName: key('sender.parameter.<name>', bag(), {
      aliases: ['sender.parameters.<name>'],
      doc: 'Custom parameters.',
      mapped: 'kept on the sender and readable by handlers.',
    }),
    senderTrustStoreLocation: key('sender.trust_store.location', text(), {
      required: true,
      defaultFrom: 'repository/resources/security/$ref{truststore.file_name}',
      doc: 'Trust store.',
      mapped: 'ca list of the WebSocket client.',
    }),
    senderTrustStorePassword: key('sender.trust_store.password', secret(), {
      required: true,
      defaultFrom: '$ref{truststore.password}',
      doc: 'Password of the trust store.',
      mapped: 'opens the trust store.',
    }),
  },
});

export const webSocketTransport = defineSection({
  path: 'transport.<ws|wss>',
  doc: 'Both WebSocket senders.',
  keys: {
    senderParametersWsClientEnableHostnameVerification: key(
      'sender.parameters.ws.client.enable.hostname.verification',
      boolean(),
      { default: true, additional: true, doc: 'Host name check.', effect: 'TLS identity check.' },
    ),
  },
});

export const webSocketProxyProfile = defineSection({
  path: 'transport.<ws|wss>.proxy_profile',
  repeated: true,
  doc: 'Proxies of the WebSocket senders.',
  keys: {
    targetHosts: key('target_hosts', list(), {
      additional: true,
      doc: 'Hosts that the proxy serves.',
      effect: 'regular expressions that match the whole host name.',
    }),
    proxyHost: key('proxy_host', text(), {
      additional: true,
      doc: 'Proxy host.',
      effect: 'proxy of connections to these hosts.',
    }),
    proxyPort: key('proxy_port', port(), {
      additional: true,
      doc: 'Proxy port.',
      effect: 'proxy of connections to these hosts.',
    }),
    proxyUsername: key('proxy_username', text(), {
      additional: true,
      doc: 'Proxy user.',
      effect: 'Proxy-Authorization.',
    }),
    proxyPassword: key('proxy_password', secret(), {
      additional: true,
      doc: 'Proxy password.',
      effect: 'Proxy-Authorization.',
    }),
    bypassHosts: key('bypass_hosts', list(), {
      additional: true,
      doc: 'Hosts that are called directly.',
      effect: 'regular expressions that match the whole host name.',
    }),
  },
});
