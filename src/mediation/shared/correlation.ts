import type { Message } from '#message';

/** The properties by which the branches of a split are put together again (mediators 5.2). */
export interface CorrelationNames {
  /** Holds `index/total` of the branch, from 0. */
  readonly sequence: string;
  /** Holds the id of the message that was split; the spelling is the original's. */
  readonly correlation: string;
}

/** The names for a mediator with this `id`. */
export function correlationNames(id: string | undefined): CorrelationNames {
  const suffix = id === undefined ? '' : `.${id}`;
  return { sequence: `messageSequence${suffix}`, correlation: `aggregateCorelation${suffix}` };
}

/** Marks a message as branch number `index` of `total`. */
export function markBranch(
  message: Message,
  names: CorrelationNames,
  place: { index: number; total: number; of: string },
): void {
  message.properties.set(names.sequence, `${place.index}/${place.total}`);
  message.properties.set(names.correlation, place.of);
}
