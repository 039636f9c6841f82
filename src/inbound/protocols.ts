import { file } from './file/file.ts';
import { http } from './http/http.ts';
import type { AnyInboundProtocol } from './protocol.ts';

/** The protocols of inbound endpoints, one line each. */
export const protocols: readonly AnyInboundProtocol[] = [http, file];

/** Protocols of the original that are not served; artifacts that need one are refused. */
export const protocolsNotServed: ReadonlySet<string> = new Set([
  'cxf_ws_rm',
  'grpc',
  'hl7',
  'httpsWss',
  'httpswss',
  'httpws',
  'jms',
  'kafka',
  'mqtt',
  'rabbitmq',
  'ws',
  'wss',
]);
