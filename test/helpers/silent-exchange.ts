import type { MessageEnvironment, MessageExchange } from '#message';

const environment: MessageEnvironment = {
  external: () => undefined,
  configuration: () => undefined,
  resource: () => undefined,
  resourceProperty: () => undefined,
  localEntry: () => undefined,
  store: () => undefined,
  secret: () => undefined,
  now: () => 0,
  warn: () => undefined,
};

/** The exchange of a message of which nothing outside is asked, and which nobody answers. */
export function silentExchange(): MessageExchange {
  return {
    environment,
    operation: new Map(),
    answered: false,
    ifNoneMatch: undefined,
    sentAsynchronously: false,
    failed: false,
    waits: () => undefined,
    respondThrough: () => false,
    answer: () => undefined,
  };
}
