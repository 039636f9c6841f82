import type { HttpResponder } from '#transport';

/** The responder of a request, whose answers go through `respond` first. */
export function respondThrough(responder: HttpResponder, respond: HttpResponder['respond']): HttpResponder {
  return {
    get finished() {
      return responder.finished;
    },
    onGone: (listener) => responder.onGone(listener),
    respond,
  };
}
