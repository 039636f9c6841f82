/**
 * What endpoints remember from message to message, by the identity of the endpoint: states, sessions, tokens. It
 * outlives a world, so that a change of some artifact does not make suspended endpoints active again; an endpoint
 * whose own settings change begins anew.
 */
export interface EndpointStates {
  /** The same identity must always stand for the same type. */
  obtain<T>(identity: string, settings: string, create: () => T): T;
}

export function createEndpointStates(): EndpointStates {
  const memories = new Map<string, { readonly settings: string; readonly value: unknown }>();
  return {
    obtain<T>(identity: string, settings: string, create: () => T): T {
      const known = memories.get(identity);
      if (known?.settings === settings) return known.value as T;
      const value = create();
      memories.set(identity, { settings, value });
      return value;
    },
  };
}
