import { isPlainProtocol, type OutgoingRequest, type WebSocketTarget } from '#transport';
import type { Message } from '#message';
import { textOfValue } from '../shared/typed-value.ts';
import type { WaitingClient } from './client.ts';
import type { FrameClient } from './frame-client.ts';

const customHeader = 'websocket.custom.header.';

/** What is asked of the back end: the headers of the message, and the subprotocols of its client or of a property. */
export function targetOf(
  message: Message,
  { origin, target, headers }: OutgoingRequest,
  client: WaitingClient | FrameClient | undefined,
): WebSocketTarget {
  const wanted = textOfValue(
    message.property('default', 'websocket.subprotocol') ?? message.axis2.get('websocket.subprotocol'),
  );
  const own = wanted
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const custom = [...message.properties, ...message.axis2]
    .filter(([name]) => name.startsWith(customHeader))
    .flatMap(([name, value]) => [name.slice(customHeader.length), textOfValue(value)]);
  const fields = client ? headers : headers.filter((_, index) => !/^content-/i.test(headers[index & ~1] ?? ''));
  const listed = client && ('handshake' in client ? client.handshake.protocols : client.protocols);
  const protocols = own.length > 0 ? own : (listed ?? []).filter(isPlainProtocol);
  return { origin, target, headers: [...fields, ...custom], protocols };
}

/** Whose settings hold for an address. */
export function schemeOf(origin: string): 'ws' | 'wss' {
  return /^wss:/i.test(origin) ? 'wss' : 'ws';
}
