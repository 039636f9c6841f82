import type { Clock } from '#core';
import { synapseCodes } from '#errors';
import type { DeliveryPolicy } from './delivery-policy.ts';

export type EndpointStateName = 'active' | 'timeout' | 'suspended' | 'off';

/** What the configuration says for endpoints that leave it open. */
export interface SuspensionDefaults {
  readonly duration: number;
  readonly factor: number;
  /** True when these hold for endpoints that say otherwise, too. */
  readonly overrides?: boolean;
}

/** Codes that mark an endpoint for suspension when it lists none (runtime-core 5.4). */
const defaultMarkCodes: readonly number[] = [synapseCodes.connectionTimedOut, synapseCodes.connectionClosed];

/** The state machine of a leaf endpoint (runtime-core 5.5): active, marked after timeouts, suspended, switched off. */
export class EndpointState {
  readonly #policy: DeliveryPolicy;
  readonly #clock: Clock;
  readonly #defaults: SuspensionDefaults;
  #state: EndpointStateName = 'active';
  #remainingRetries: number;
  #nextRetry = 0;
  #lastDuration = -1;

  constructor(policy: DeliveryPolicy, clock: Clock, defaults: SuspensionDefaults) {
    this.#policy = policy;
    this.#clock = clock;
    this.#defaults = defaults;
    this.#remainingRetries = policy.mark.retriesBeforeSuspension;
  }

  get name(): EndpointStateName {
    return this.#state;
  }

  /** How many failures of the marking kind it still takes before it is suspended. */
  get remainingRetries(): number {
    return this.#remainingRetries;
  }

  /** Milliseconds until messages are sent again; undefined while they are, or when it is switched off. */
  get retryIn(): number | undefined {
    if (this.#state === 'active' || this.#state === 'off') return undefined;
    return Math.max(0, this.#nextRetry - this.#clock.monotonic());
  }

  /** True when a message may be sent now. */
  isReady(): boolean {
    if (this.#state === 'active') return true;
    return this.#state !== 'off' && this.#clock.monotonic() >= this.#nextRetry;
  }

  succeeded(): void {
    if (this.#state !== 'timeout' && this.#state !== 'suspended') return;
    this.#state = 'active';
    this.#remainingRetries = this.#policy.mark.retriesBeforeSuspension;
    this.#lastDuration = -1;
  }

  /** Takes note of a failure with the code that the message carries. */
  failed(code: number): void {
    if (this.#state === 'off') return;
    const { mark, suspend } = this.#policy;
    const markCodes = mark.errorCodes.length > 0 ? mark.errorCodes : defaultMarkCodes;
    if (markCodes.includes(code)) {
      if (this.#remainingRetries <= 0) return this.#suspend();
      this.#remainingRetries--;
      this.#nextRetry = this.#clock.monotonic() + mark.retryDelay;
      this.#state = 'timeout';
      return undefined;
    }
    if (suspend.errorCodes.length === 0 || suspend.errorCodes.includes(code)) this.#suspend();
    return undefined;
  }

  /** Suspends the endpoint for a time that somebody else decided; the progression goes on as it was. */
  rest(milliseconds: number): void {
    if (this.#state === 'off') return;
    this.#nextRetry = this.#clock.monotonic() + milliseconds;
    this.#remainingRetries = this.#policy.mark.retriesBeforeSuspension;
    this.#state = 'suspended';
  }

  switchOff(): void {
    this.#state = 'off';
  }

  switchOn(): void {
    this.#state = 'active';
    this.#lastDuration = -1;
    this.#remainingRetries = this.#policy.mark.retriesBeforeSuspension;
  }

  #suspend(): void {
    const { maximumDuration, seconds } = this.#policy.suspend;
    const own = this.#defaults.overrides ? undefined : this.#policy.suspend;
    const older = seconds === undefined || !own ? undefined : { initialDuration: seconds * 1000, progressionFactor: 1 };
    const next =
      this.#lastDuration < 0
        ? (own?.initialDuration ?? older?.initialDuration ?? this.#defaults.duration)
        : Math.trunc(
            this.#lastDuration * (own?.progressionFactor ?? older?.progressionFactor ?? this.#defaults.factor),
          );
    const capped = Math.min(next, maximumDuration);
    const duration = capped < 0 ? this.#defaults.duration : capped;
    this.#lastDuration = duration;
    this.#nextRetry = this.#clock.monotonic() + duration;
    this.#remainingRetries = this.#policy.mark.retriesBeforeSuspension;
    this.#state = 'suspended';
  }
}
