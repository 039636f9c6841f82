import { getLogger } from '#core';
import type { Message } from '#message';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { extensionMessage } from './extension-message.ts';
import type { FlowHandler } from './types.ts';

const log = getLogger('mediation');

/** Runs every handler that has the callback; stops where one says so. */
export type FlowCallback = (message: Message) => Promise<Flow>;

/** The handlers around every message; a callback that no handler has is absent and costs nothing (runtime-core 7.1). */
export interface FlowHandlers {
  /** A client's request, before anything else sees it. */
  readonly requestIn: FlowCallback | undefined;
  /** A request, before it goes to a back end. */
  readonly requestOut: FlowCallback | undefined;
  /** The answer of a back end, before the flow goes on with it. */
  readonly responseIn: FlowCallback | undefined;
  /** The answer to the client, before it is written. */
  readonly responseOut: FlowCallback | undefined;
}

/** Puts handlers together, in their order. `maxBodyBytes` bounds the payloads that some of them read. */
export function createFlowHandlers(
  handlers: readonly { readonly name: string; readonly handler: FlowHandler }[],
  maxBodyBytes: number,
): FlowHandlers {
  const callback = (method: FlowMethod): FlowCallback | undefined => {
    const wanted = handlers.filter(({ handler }) => handler[method] !== undefined);
    if (wanted.length === 0) return undefined;
    const needsBody = wanted.some(({ handler }) => handler.needsBody === true);
    return async (message) => {
      if (needsBody) await message.payload.load(maxBodyBytes);
      for (const { name, handler } of wanted) {
        if ((await handler[method]?.(extensionMessage(message))) !== false) continue;
        log.debug({ handler: name, callback: method, message: message.id }, 'a handler ended the processing');
        return STOP;
      }
      return CONTINUE;
    };
  };
  return {
    requestIn: callback('handleRequestInFlow'),
    requestOut: callback('handleRequestOutFlow'),
    responseIn: callback('handleResponseInFlow'),
    responseOut: callback('handleResponseOutFlow'),
  };
}

/** The callbacks of a handler, in the order of a message's way. */
export const flowMethods = [
  'handleRequestInFlow',
  'handleRequestOutFlow',
  'handleResponseInFlow',
  'handleResponseOutFlow',
] as const;
type FlowMethod = (typeof flowMethods)[number];
