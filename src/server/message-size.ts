import { declaresMore, limitBody, type HttpSender, type RequestHandler } from '#transport';

/** Refuses requests with a body above `bytes`: 413, and the connection is closed (runtime-core 7.2). */
export function limitRequests(handler: RequestHandler, bytes: number): RequestHandler {
  return (request, responder) => {
    const { body } = request;
    const refuse = (): void => {
      if (!responder.finished) responder.respond({ status: 413, headers: ['Connection', 'close'] }, null);
    };
    if (declaresMore(body, bytes)) {
      body?.cancel();
      refuse();
    } else if (body === null) handler(request, responder);
    else {
      const limit = { bytes, status: 413, message: `The request has more than ${bytes} bytes` };
      handler({ ...request, body: limitBody(body, limit, refuse) }, responder);
    }
  };
}

/** Turns answers of back ends with a body above `bytes` into a 502 without one (runtime-core 7.2). */
export function limitResponses(sender: HttpSender, bytes: number): HttpSender {
  return {
    send(request, handler) {
      return sender.send(request, {
        onResponse(response) {
          const { body } = response;
          if (declaresMore(body, bytes)) {
            body?.cancel();
            handler.onResponse({ status: 502, reason: 'Response Entity Too Large', headers: [], body: null });
          } else if (body === null) handler.onResponse(response);
          else {
            const limit = {
              bytes,
              status: 502,
              message: `The answer of ${request.origin} has more than ${bytes} bytes`,
            };
            handler.onResponse({ ...response, body: limitBody(body, limit) });
          }
        },
        onError: (error) => handler.onError(error),
      });
    },
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
}
