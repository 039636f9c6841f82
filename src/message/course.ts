import type { Message, TemplateFrame } from './message.ts';

/** What running a list of mediators gives: true to go on behind it, false when the flow has ended. */
export type Outcome = boolean | Promise<boolean>;

/**
 * Where a message stands in one list of mediators. A branch that waited for a back end goes on behind the mediator
 * that started it, list by list outwards (runtime-core 3.5).
 */
export interface Place {
  /** Number of the mediator that runs. */
  index: number;
  /** How many lists are around this one. */
  readonly depth: number;
  readonly outer: Place | null;
  /** The call of a template in which the list runs. */
  readonly frame: TemplateFrame | null;
  /** What handles a fault of the list. */
  readonly handlers: FaultHandlers | null;
  /** Runs the list from the mediator with this number on. */
  readonly runFrom: (message: Message, index: number) => Outcome;
}

/** The handlers of faults that are in force, innermost first (runtime-core 3.6). */
export interface FaultHandlers {
  readonly handle: (message: Message, thrown: unknown) => Outcome;
  readonly outer: FaultHandlers | null;
}

/** The branch of a split to which a message belongs, as far as the message itself knows it. */
export interface MessageBranch {
  /** The flow waits for a back end without blocking: its worker is free, and it goes on behind the split. */
  waits(): void;
}

/** The same places as they are now: the list that made them moves on. */
export function copyPlaces(place: Place | null): Place | null {
  return place && { ...place, outer: copyPlaces(place.outer) };
}
