import { createConcurrencyLimiter, getLogger, type Clock } from '#core';
import { messageOf } from '#errors';
import { createCounterDeltas, type CounterAnswer, type CounterDeltas, type Growth } from './counter-deltas.ts';
import type { Registry, RuntimeNode } from './registry.ts';
import { answerOf, type Rollup, type RollupAnswer, type RollupQuery } from './rollup-query.ts';
import { addTo, busiestFirst, nothing, sumOf, type Tally } from './tally.ts';

const log = getLogger('dashboard');

/** Milliseconds of one rollup. */
export const minute = 60_000;
/** Rollups that are kept of each node. */
export const keptMinutes = 12 * 60;
/** Milliseconds between two looks at the counters: traffic is seen within seconds. */
const lookEvery = 5000;
/** Artifacts that a rollup tells apart; the others are in its sum only. */
const artifactsKept = 20;
/** Mediators that a rollup tells apart, and rollups that do so: a node may have thousands of them. */
const mediatorsKept = 100;
const mediatorMinutes = 60;

interface NodeRollups {
  readonly deltas: CounterDeltas;
  readonly ring: Rollup[];
}

/** Figures of the nodes over time, minute by minute, in memory. */
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
}

/** Begins to look at the nodes every few seconds, and at each as soon as it was read; a minute grows until it is over. */
export function createRollups({ registry, clock, poolSize, read }: RollupParts): Rollups {
  const pool = createConcurrencyLimiter({ concurrency: poolSize, queue: Number.MAX_SAFE_INTEGER });
  const nodes = new Map<string, NodeRollups>();
  let bounds: readonly number[] = [];

  const keyOf = ({ group, id }: Pick<RuntimeNode, 'group' | 'id'>): string => JSON.stringify([group, id]);

  /** The beginning of the minute that is not over yet; a full one ends with its last moment. */
  const minuteNow = (): number => Math.ceil(clock.now() / minute) * minute - minute;

  const collectNode = async (node: RuntimeNode, at: number): Promise<void> => {
    const own = nodes.get(keyOf(node)) ?? { deltas: createCounterDeltas(), ring: [] };
    try {
      const answer = await read(node, own.deltas.cursor);
      if (!answer) return;
      nodes.set(keyOf(node), own);
      if (answer.bounds.length > 0) bounds = answer.bounds;
      const growth = own.deltas.take(answer);
      if (growth) note(own.ring, at, growth);
    } catch (error) {
      log.debug({ group: node.group, node: node.id, cause: messageOf(error) }, 'figures of a runtime were not read');
    }
  };

  const collect = async (): Promise<void> => {
    const at = minuteNow();
    const present = registry.nodes();
    const keys = new Set(present.map(keyOf));
    for (const key of nodes.keys()) if (!keys.has(key)) nodes.delete(key);
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
      const rings = registry
        .nodes(query.group)
        .filter(({ id }) => query.nodes === undefined || query.nodes.includes(id))
        .flatMap((each) => {
          const found = nodes.get(keyOf(each));
          return found ? [{ group: each.group, ring: found.ring }] : [];
        });
      return answerOf(rings, query, bounds);
    },
    [Symbol.dispose]: () => {
      stop();
      unsubscribe();
    },
  };
}

/** Adds to the last minute, or begins the next one; forgets what is too old. */
function note(ring: Rollup[], at: number, { byArtifact, byMediator }: Growth): void {
  const last = ring.at(-1)?.at === at ? ring.pop() : undefined;
  ring.push({
    at,
    all: [...byArtifact.values()].reduce(sumOf, last?.all ?? nothing),
    byArtifact: busiest(merged(last?.byArtifact, byArtifact), artifactsKept),
    byMediator: busiest(merged(last?.byMediator, byMediator), mediatorsKept),
  });
  while ((ring[0]?.at ?? at) <= at - keptMinutes * minute) ring.shift();
  const old = ring.findLastIndex((rollup) => rollup.at <= at - mediatorMinutes * minute);
  for (let index = old; index >= 0 && ring[index]?.byMediator !== undefined; index--) {
    const rollup = ring[index];
    if (rollup) ring[index] = { ...rollup, byMediator: undefined };
  }
}

function merged(before: ReadonlyMap<string, Tally> | undefined, more: ReadonlyMap<string, Tally>): Map<string, Tally> {
  const sums = new Map(before);
  addTo(sums, more);
  return sums;
}

function busiest(tallies: ReadonlyMap<string, Tally>, most: number): ReadonlyMap<string, Tally> {
  return tallies.size <= most ? tallies : new Map(busiestFirst(tallies).slice(0, most));
}
