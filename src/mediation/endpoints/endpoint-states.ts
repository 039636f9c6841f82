import type { EndpointState } from './endpoint-state.ts';

/**
 * The states of endpoints by the identity of the endpoint. They outlive a world, so that a change of some artifact
 * does not make suspended endpoints active again; an endpoint whose own settings change begins anew.
 */
export interface EndpointStates {
  obtain(identity: string, settings: string, create: () => EndpointState): EndpointState;
}

export function createEndpointStates(): EndpointStates {
  const states = new Map<string, { readonly settings: string; readonly state: EndpointState }>();
  return {
    obtain(identity, settings, create) {
      const known = states.get(identity);
      if (known?.settings === settings) return known.state;
      const state = create();
      states.set(identity, { settings, state });
      return state;
    },
  };
}
