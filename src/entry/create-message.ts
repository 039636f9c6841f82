import { offerWebSocket } from '#mediation';
import { getHeader, Message, Payload } from '#message';
import { asksForWebSocket, readHandshake, type HttpRequest } from '#transport';
import type { HttpExchange } from './exchange.ts';

/** Makes the message of a request, with what the transport leaves on it (runtime-core 2.3, 4.3). */
export function createMessage(request: HttpRequest, exchange: HttpExchange): Message {
  const { headers, target, method, peer, body, scheme } = request;
  const question = target.indexOf('?');
  const payload = Payload.received(body, {
    contentType: getHeader(headers, 'Content-Type'),
    hasSoapAction: getHeader(headers, 'SOAPAction') !== undefined,
    query: question < 0 ? '' : target.slice(question + 1),
    method,
    contentEncoding: getHeader(headers, 'Content-Encoding'),
  });
  const message = new Message(exchange, payload, headers);
  const { axis2, properties, addressing } = message;
  exchange.acceptsTrailers = request.acceptsTrailers;
  exchange.ifNoneMatch = getHeader(headers, 'If-None-Match');
  addressing.to = target;
  axis2.set('HTTP_METHOD', method);
  axis2.set('REST_URL_POSTFIX', target);
  axis2.set('TransportInURL', target);
  axis2.set('REMOTE_ADDR', peer.address);
  axis2.set('REMOTE_HOST', peer.address);
  if (request.upgrade && asksForWebSocket(request)) offer(message, request);
  if (body === null) axis2.set('NO_ENTITY_BODY', true);
  properties.set('TRANSPORT_IN_NAME', scheme);
  return message;
}

/** Lets the flow join its client with a back end that speaks WebSocket. */
function offer(message: Message, request: HttpRequest): void {
  const handshake = readHandshake(request);
  if (!('status' in handshake)) offerWebSocket(message, request, handshake);
}
