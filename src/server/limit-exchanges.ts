import { protocolStates, synapseCodes } from '#errors';
import { TransportError, type BodySource, type Exchange, type HttpSender } from '#transport';

/**
 * Lets only so many exchanges of a sender run at once, whatever their origins; others wait for their turn. An exchange
 * is over when its answer has been read to its end, given up or failed.
 */
export function limitExchanges(sender: HttpSender, most: number): HttpSender {
  let running = 0;
  const waiting = new Set<() => void>();
  const next = (): void => {
    const [first] = waiting;
    if (!first || running >= most) return;
    waiting.delete(first);
    first();
  };
  return {
    send(request, handler) {
      let exchange: Exchange | undefined;
      const start = (): void => {
        let isOver = false;
        running++;
        const over = (): void => {
          if (isOver) return;
          isOver = true;
          running--;
          next();
        };
        exchange = sender.send(request, {
          onResponse(response) {
            if (response.body === null) over();
            handler.onResponse(response.body === null ? response : { ...response, body: ending(response.body, over) });
          },
          onError(error) {
            over();
            handler.onError(error);
          },
        });
      };
      waiting.add(start);
      next();
      return {
        abort() {
          if (exchange) exchange.abort();
          else if (waiting.delete(start)) {
            if (request.body !== null && !(request.body instanceof Uint8Array)) request.body.cancel();
            handler.onError(givenUp(request.origin));
          }
        },
      };
    },
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
}

function givenUp(origin: string): TransportError {
  return new TransportError({
    baseCode: synapseCodes.sendAborted,
    state: protocolStates.requestReady,
    message: 'Error in Sender',
    detail: `${origin}: given up while it waited for other requests`,
  });
}

/** A body that says when nothing more comes of it. */
function ending(body: BodySource, over: () => void): BodySource {
  return {
    length: body.length,
    get trailers() {
      return body.trailers;
    },
    pipe: (sink) =>
      body.pipe({
        write: (chunk) => sink.write(chunk),
        end() {
          over();
          sink.end();
        },
        fail(error) {
          over();
          sink.fail(error);
        },
      }),
    resume: () => body.resume(),
    cancel() {
      over();
      body.cancel();
    },
  };
}
