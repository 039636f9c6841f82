import { file } from './file/file.ts';
import { http, httpWebSocket } from './http/http.ts';
import { jms } from './jms/jms.ts';
import { rabbitmq } from './rabbitmq/rabbitmq.ts';
import { webSocket } from './web-socket/web-socket.ts';
import type { AnyInboundProtocol } from './protocol.ts';

/** The protocols of inbound endpoints, one line each. */
export const protocols: readonly AnyInboundProtocol[] = [http, httpWebSocket, file, webSocket, jms, rabbitmq];

/** Protocols of the original that are not served; artifacts that need one are refused. */
export const protocolsNotServed: ReadonlySet<string> = new Set(['cxf_ws_rm', 'grpc', 'hl7', 'kafka', 'mqtt']);
