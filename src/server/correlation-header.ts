import { getHeader } from '#message';
import type { HttpResponder, RequestHandler } from '#transport';
import { respondThrough } from './respond-through.ts';

/** Answers carry the correlation header of their request, so that a caller can tell them apart. */
export function echoCorrelation(handler: RequestHandler, name: string): RequestHandler {
  return (request, responder) => {
    const value = getHeader(request.headers, name);
    handler(request, value === undefined ? responder : withHeader(responder, name, value));
  };
}

function withHeader(responder: HttpResponder, name: string, value: string): HttpResponder {
  return respondThrough(responder, (head, body) => {
    const isThere = getHeader(head.headers, name) !== undefined;
    responder.respond(isThere ? head : { ...head, headers: [...head.headers, name, value] }, body);
  });
}
