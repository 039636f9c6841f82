import type { WorkerPool } from '#core';
import type { RequestHandler } from '#transport';
import { respondThrough } from './respond-through.ts';

/** Lets only so many requests be answered at once; others wait, or get 503 when too many wait already. */
export function withConcurrency(handler: RequestHandler, pool: WorkerPool): RequestHandler {
  return (request, responder) => {
    const isAdmitted = pool.take((free) => {
      if (responder.finished) {
        request.body?.cancel();
        free();
        return;
      }
      responder.onGone(free);
      const freeing = respondThrough(responder, (head, body) => {
        free();
        responder.respond(head, body);
      });
      handler(request, freeing);
    });
    if (isAdmitted) return;
    request.body?.cancel();
    responder.respond({ status: 503, headers: ['Retry-After', '1'] }, null);
  };
}
