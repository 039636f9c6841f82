import type { Compiled } from '../mediator.ts';
import { BackgroundExchange } from './exchange.ts';

/** A proxy service as its artifact compiles it, as far as messages of tasks are concerned. */
export interface InjectableService {
  readonly active: boolean;
  readonly target: {
    readonly inFlow: Compiled;
    readonly outFlow: Compiled | undefined;
    /** Puts the fault sequence of the service around a flow. */
    readonly guard: (run: Compiled) => Compiled;
  };
}

/** The flow of a service for a message that no client sent; undefined for a service that does not run. */
export function injectionInto(service: InjectableService | undefined): Compiled | undefined {
  if (!service?.active) return undefined;
  const { inFlow, outFlow, guard } = service.target;
  const run = guard(inFlow);
  return (message) => {
    if (message.exchange instanceof BackgroundExchange) message.exchange.outFlow = outFlow;
    return run(message);
  };
}
