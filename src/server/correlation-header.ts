import { getHeader } from '#message';
import type { HttpResponder, RequestHandler } from '#transport';

/** Answers carry the correlation header of their request, so that a caller can tell them apart. */
export function echoCorrelation(handler: RequestHandler, name: string): RequestHandler {
  return (request, responder) => {
    const value = getHeader(request.headers, name);
    handler(request, value === undefined ? responder : withHeader(responder, name, value));
  };
}

function withHeader(responder: HttpResponder, name: string, value: string): HttpResponder {
  return {
    get finished() {
      return responder.finished;
    },
    respond(head, body) {
      const isThere = getHeader(head.headers, name) !== undefined;
      responder.respond(isThere ? head : { ...head, headers: [...head.headers, name, value] }, body);
    },
    onGone: (listener) => responder.onGone(listener),
  };
}
