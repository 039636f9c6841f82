import { Fault, type FaultFacts } from '../fault.ts';

/** A fault that an endpoint raised because its back end failed, so that a group may try another member. */
export class EndpointFault extends Fault {
  /** False when the endpoint's `retryConfig` keeps this failure from being tried elsewhere (runtime-core 5.4). */
  readonly allowsRetry: boolean;

  constructor(facts: FaultFacts, allowsRetry = true) {
    super(facts);
    this.allowsRetry = allowsRetry;
  }
}
