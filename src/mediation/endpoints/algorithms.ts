import type { CompiledEndpoint } from '../endpoint.ts';
import type { Candidates } from './group.ts';

/** What a load-balancing group remembers from message to message. */
export interface Turn {
  /** Index of the member that is next. */
  next: number;
  /** How often it had its turn already. */
  used: number;
}

/** A member with its share of the messages. */
export interface WeightedMember {
  readonly endpoint: CompiledEndpoint;
  readonly weight: number;
  /** Messages that it has at this moment. */
  underWay: number;
}

type Algorithm = (members: readonly WeightedMember[], turn: Turn, candidates: Candidates) => WeightedMember | undefined;

/** The algorithms by the last part of their class names (runtime-core 5.6). */
export const algorithms = {
  RoundRobin: pickInTurn,
  WeightedRoundRobin: pickByWeight,
  WeightedRRLCAlgorithm: pickLeastBusy,
} as const satisfies Readonly<Record<string, Algorithm>>;

export type AlgorithmName = keyof typeof algorithms;

/** One after the other; members that are not ready are skipped. */
function pickInTurn(
  members: readonly WeightedMember[],
  turn: Turn,
  { isReady }: Candidates,
): WeightedMember | undefined {
  for (const _ of members) {
    const member = members[turn.next % members.length];
    turn.next = (turn.next + 1) % members.length;
    if (member && isReady(member.endpoint)) return member;
  }
  return undefined;
}

/** Each as often in a row as its weight says; whether a member is ready shows when it gets the message. */
function pickByWeight(
  members: readonly WeightedMember[],
  turn: Turn,
  { isOpen }: Candidates,
): WeightedMember | undefined {
  for (let looked = 0; looked <= members.length; looked++) {
    const member = members[turn.next % members.length];
    if (member && turn.used < member.weight && isOpen(member.endpoint)) {
      turn.used++;
      return member;
    }
    turn.next = (turn.next + 1) % members.length;
    turn.used = 0;
  }
  return undefined;
}

/** The one that has the fewest messages under way for its weight; among equals they take turns. */
function pickLeastBusy(
  members: readonly WeightedMember[],
  turn: Turn,
  { isReady }: Candidates,
): WeightedMember | undefined {
  const load = ({ underWay, weight }: WeightedMember): number => (underWay + 1) / weight;
  let best: number | undefined;
  for (let step = 0; step < members.length; step++) {
    const index = (turn.next + step) % members.length;
    const member = members[index];
    if (!member || !isReady(member.endpoint)) continue;
    const known = best === undefined ? undefined : members[best];
    if (!known || load(member) < load(known)) best = index;
  }
  if (best === undefined) return undefined;
  turn.next = (best + 1) % members.length;
  return members[best];
}
