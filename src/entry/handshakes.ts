import { asksForWebSocket, readHandshake, type RequestHandler } from '#transport';

/** Refuses requests that ask for a WebSocket in a way that cannot be answered with one (RFC 6455, 4.2.2). */
export function refuseBadHandshakes(handler: RequestHandler): RequestHandler {
  return (request, responder) => {
    const read = request.upgrade && asksForWebSocket(request) ? readHandshake(request) : undefined;
    if (!read || !('status' in read)) return handler(request, responder);
    const { status, reason } = read;
    const headers = ['Content-Type', 'text/plain', 'Connection', 'close'];
    if (status === 405) headers.push('Allow', 'GET');
    if (status === 426) headers.push('Sec-WebSocket-Version', '13');
    request.body?.cancel();
    responder.respond({ status, headers }, Buffer.from(reason));
  };
}
