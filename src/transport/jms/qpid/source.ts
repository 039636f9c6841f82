import type * as Rhea from 'rhea';
import type { JmsDestination } from '../message.ts';
import type { JmsSubscription } from '../provider.ts';

/** How long the broker keeps what is in a durable subscription: all of its state, and for ever. */
const durable = { durable: 2, expiry_policy: 'never' } as const;
const noLocalFilter = 'apache.org:no-local-filter:list';

/** What a link says of where its messages come from (AMQP binding and mapping for JMS). */
export function sourceOf(
  rhea: typeof Rhea,
  { kind }: JmsDestination,
  { selector, durableName, isShared, noLocal }: JmsSubscription,
): object {
  const filter = {
    ...(selector !== undefined && rhea.filter.selector(selector)),
    ...(noLocal === true && { 'no-local': rhea.types.wrap_described([], noLocalFilter) as unknown }),
  };
  return {
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(durableName !== undefined && durable),
    ...(isShared === true && { capabilities: [kind, 'shared'] }),
  };
}
