import { protocolStates, synapseCodes } from '#errors';
import { TransportError, type HttpSender } from '#transport';

/** Fails every exchange with an origin of these schemes, as `sender.enable = false` wants it. */
export function refuseSchemes(sender: HttpSender, schemes: readonly string[]): HttpSender {
  return {
    send(request, handler) {
      const scheme = schemes.find((name) => request.origin.startsWith(name));
      if (scheme === undefined) return sender.send(request, handler);
      handler.onError(
        new TransportError({
          baseCode: synapseCodes.senderIoSending,
          state: protocolStates.requestReady,
          message: 'Error in Sender',
          detail: `the configuration turns the sender for ${scheme} off`,
        }),
      );
      return { abort: () => undefined };
    },
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
}
