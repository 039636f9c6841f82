import type { MessageEnvironment } from '#message';

/** What stands around a message of which nothing outside is asked. */
export const silentEnvironment: MessageEnvironment = {
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
