import type { HttpRequest, HttpResponder, RequestHandler } from '#transport';

/** Stands before a handler that is not there yet. */
export interface Gate {
  readonly handle: RequestHandler;
  /** Lets requests through to the handler, those that wait first. */
  open(handler: RequestHandler): void;
}

/** Most requests that wait; later ones are told to come again. */
const maxWaiting = 1000;

/** Until it is opened requests wait (`bindOnInit`), or are told to come again. */
export function createGate(waits: boolean): Gate {
  let handler: RequestHandler | undefined;
  let waiting: (readonly [HttpRequest, HttpResponder])[] = [];
  return {
    handle(request, responder) {
      if (handler) handler(request, responder);
      else if (waits && waiting.length < maxWaiting) waiting.push([request, responder]);
      else refuse(request, responder);
    },
    open(next) {
      handler = next;
      const early = waiting;
      waiting = [];
      for (const [request, responder] of early) {
        if (responder.finished) request.body?.cancel();
        else next(request, responder);
      }
    },
  };
}

function refuse(request: HttpRequest, responder: HttpResponder): void {
  request.body?.cancel();
  responder.respond({ status: 503, headers: ['Retry-After', '1'] }, null);
}
