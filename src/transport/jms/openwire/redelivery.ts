/** What happens to messages that are given back, as the broker's address says (`jms.redeliveryPolicy.…`). */
export interface RedeliveryPolicy {
  /** After so many redeliveries the message goes to the broker's queue of dead letters; negative for never. */
  readonly most: number;
  /** Milliseconds before a message is delivered again. */
  readonly delay: number;
}

const defaultMost = 6;
const defaultDelay = 1000;

/** Reads the options of an address. Without them it is as with the broker's own client. */
export function redeliveryPolicyOf(options: ReadonlyMap<string, string>): RedeliveryPolicy {
  return {
    most: numberIn(options, 'maximumRedeliveries') ?? defaultMost,
    delay: Math.max(0, numberIn(options, 'initialRedeliveryDelay') ?? defaultDelay),
  };
}

function numberIn(options: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = options.get(`jms.redeliveryPolicy.${name}`) ?? '';
  return /^-?\d{1,9}$/.test(text) ? Number(text) : undefined;
}
