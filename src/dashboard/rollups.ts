import { createConcurrencyLimiter, getLogger, type Clock } from '#core';
import { messageOf } from '#errors';
import { createCounterDeltas, type CounterAnswer, type CounterDeltas, type Growth } from './counter-deltas.ts';
import type { Registry, RuntimeNode } from './registry.ts';
import { answerOf, type Rollup, type RollupAnswer, type RollupQuery } from './rollup-query.ts';
import { minute, tierNames, tiers, type TierName } from './rollup-tiers.ts';
import type { DashboardStore } from './store.ts';
import { addTo, busiestFirst, nothing, sumOf, type Tally } from './tally.ts';

const log = getLogger('dashboard');

/** Milliseconds between two looks at the counters: traffic is seen within seconds. */
const lookEvery = 5000;
/** Artifacts that a rollup tells apart; the others are in its sum only. */
const artifactsKept = 20;
/** Mediators that a rollup tells apart, and rollups that do so: a node may have thousands of them. */
const mediatorsKept = 100;
const mediatorMinutes = 60;

/** Nodes of which figures are kept; runtimes without an identity of their own are others after each start. */
const mostNodes = 1000;

interface NodeRollups {
  readonly group: string;
  readonly id: string;
  readonly deltas: CounterDeltas;
  readonly rings: Readonly<Record<TierName, Rollup[]>>;
}

/** Figures of the nodes over time, the finer the newer, for a month; those of nodes that went stay. */
export interface Rollups extends Disposable {
  query(query: RollupQuery): RollupAnswer;
  /** Reads the nodes now and notes what happened since the last look. */
  collect(): Promise<void>;
}

export interface RollupParts {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly poolSize: number;
  /** Undefined for a runtime that has no counters. */
  readonly read: (node: RuntimeNode, since: number) => Promise<CounterAnswer | undefined>;
  /** Where figures outlive the dashboard; absent keeps them in memory alone. */
  readonly store?: Pick<DashboardStore, 'kept' | 'rollup' | 'bounds'> | undefined;
}

/** Begins to look at the nodes every few seconds, and at each as soon as it was read; a minute grows until it is over. */
export function createRollups({ registry, clock, poolSize, read, store }: RollupParts): Rollups {
  const pool = createConcurrencyLimiter({ concurrency: poolSize, queue: Number.MAX_SAFE_INTEGER });
  const nodes = new Map<string, NodeRollups>();
  let bounds: readonly number[] = store?.kept.bounds ?? [];

  const keyOf = ({ group, id }: Pick<RuntimeNode, 'group' | 'id'>): string => JSON.stringify([group, id]);
  const emptyFor = ({ group, id }: Pick<RuntimeNode, 'group' | 'id'>): NodeRollups => ({
    group,
    id,
    deltas: createCounterDeltas(),
    rings: { fine: [], middle: [], coarse: [] },
  });
  for (const { tier, group, node: id, rollup } of store?.kept.rollups ?? []) {
    const own = nodes.get(keyOf({ group, id })) ?? emptyFor({ group, id });
    nodes.set(keyOf(own), own);
    own.rings[tier].push(rollup);
  }

  /** The beginning of the minute that is not over yet; a full one ends with its last moment. */
  const minuteNow = (): number => Math.ceil(clock.now() / minute) * minute - minute;

  const collectNode = async (node: RuntimeNode, at: number): Promise<void> => {
    const own = nodes.get(keyOf(node)) ?? emptyFor(node);
    try {
      const answer = await read(node, own.deltas.cursor);
      if (!answer) return;
      nodes.set(keyOf(node), own);
      if (answer.bounds.length > 0 && answer.bounds.join() !== bounds.join()) {
        bounds = answer.bounds;
        store?.bounds(bounds);
      }
      const growth = own.deltas.take(answer);
      if (!growth) return;
      for (const tier of tierNames) {
        const rollup = note(own.rings[tier], tier, { at, growth });
        store?.rollup({ tier, group: node.group, node: node.id, rollup });
      }
    } catch (error) {
      log.debug({ group: node.group, node: node.id, cause: messageOf(error) }, 'figures of a runtime were not read');
    }
  };

  const collect = async (): Promise<void> => {
    const at = minuteNow();
    const present = registry.nodes();
    const keys = new Set(present.map(keyOf));
    for (const [key, { rings }] of nodes) {
      const last = rings.coarse.at(-1)?.at ?? 0;
      if (!keys.has(key) && (last < at - tiers.coarse.reach || nodes.size > mostNodes)) nodes.delete(key);
    }
    const readable = present.filter((node) => node.trust === 'approved' && registry.health(node) !== 'lost');
    await Promise.all(readable.map((node) => pool.run(() => collectNode(node, at))));
  };

  let looking: Promise<void> | undefined;
  let stop = (): void => undefined;
  const next = (): void => {
    // With every full minute, so that what is counted after it belongs to the next one.
    stop = clock.after(lookEvery - (clock.now() % lookEvery), () => {
      next();
      // Nodes that answer slowly are not asked twice at the same time.
      looking ??= collect().finally(() => (looking = undefined));
    });
  };
  next();
  const unsubscribe = registry.subscribe(({ type, group, node }) => {
    const found = type === 'artifacts' ? registry.find(group, node) : undefined;
    // What it counted before the first look is not known.
    if (found?.trust === 'approved' && !nodes.has(keyOf(found))) void pool.run(() => collectNode(found, minuteNow()));
  });

  return {
    collect,
    query(query) {
      const rings = [...nodes.values()]
        .filter(({ group }) => query.group === undefined || group === query.group)
        .filter(({ id }) => query.nodes === undefined || query.nodes.includes(id))
        .map((own) => ({ group: own.group, ring: ringFor(own.rings, query.from, clock.now()) }));
      return answerOf(rings, query, bounds);
    },
    [Symbol.dispose]: () => {
      stop();
      unsubscribe();
    },
  };
}

/** The rollups since a moment, each time from the finest tier that still has all of it. */
function ringFor(rings: NodeRollups['rings'], from: number, now: number): readonly Rollup[] {
  const parts: (readonly Rollup[])[] = [];
  let until = Number.POSITIVE_INFINITY;
  for (const [index, name] of tierNames.entries()) {
    const coarser = tierNames[index + 1];
    const { length } = tiers[coarser ?? name];
    const begin =
      coarser === undefined ? Number.NEGATIVE_INFINITY : Math.ceil((now - tiers[name].reach) / length) * length;
    const end = until;
    parts.unshift(rings[name].filter(({ at }) => at >= begin && at < end));
    until = begin;
    if (from >= begin) break;
  }
  return parts.flat();
}

/** Adds to the last rollup of a ring, or begins the next one; forgets what is too old. */
function note(
  ring: Rollup[],
  tier: TierName,
  { at: now, growth: { byArtifact, byMediator } }: { at: number; growth: Growth },
): Rollup {
  const { length, reach } = tiers[tier];
  const at = Math.floor(now / length) * length;
  const last = ring.at(-1)?.at === at ? ring.pop() : undefined;
  const rollup = {
    at,
    all: [...byArtifact.values()].reduce(sumOf, last?.all ?? nothing),
    byArtifact: busiest(merged(last?.byArtifact, byArtifact), artifactsKept),
    byMediator: tier === 'fine' ? busiest(merged(last?.byMediator, byMediator), mediatorsKept) : undefined,
  };
  ring.push(rollup);
  while ((ring[0]?.at ?? at) <= at - reach) ring.shift();
  const old = ring.findLastIndex((each) => each.at <= at - mediatorMinutes * minute);
  for (let index = old; index >= 0 && ring[index]?.byMediator !== undefined; index--) {
    const each = ring[index];
    if (each) ring[index] = { ...each, byMediator: undefined };
  }
  return rollup;
}

function merged(before: ReadonlyMap<string, Tally> | undefined, more: ReadonlyMap<string, Tally>): Map<string, Tally> {
  const sums = new Map(before);
  addTo(sums, more);
  return sums;
}

function busiest(tallies: ReadonlyMap<string, Tally>, most: number): ReadonlyMap<string, Tally> {
  return tallies.size <= most ? tallies : new Map(busiestFirst(tallies).slice(0, most));
}
