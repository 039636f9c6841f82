import { createConcurrencyLimiter, getLogger, type Clock } from '#core';
import { messageOf } from '#errors';
import { createCounterDeltas, type CounterAnswer, type CounterDeltas, type Growth } from './counter-deltas.ts';
import type { Registry, RuntimeNode } from './registry.ts';
import { factsOfTally, nothing, sumOf, type Tally, type TallyFacts } from './tally.ts';

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

/** What passed through one node in one minute. */
interface Rollup {
  /** Its beginning, in milliseconds since the epoch. */
  readonly at: number;
  readonly all: Tally;
  readonly byArtifact: ReadonlyMap<string, Tally>;
  /** Undefined in those that are too old to tell mediators apart. */
  readonly byMediator: ReadonlyMap<string, Tally> | undefined;
}

interface NodeRollups {
  readonly deltas: CounterDeltas;
  readonly ring: Rollup[];
}

export interface RollupQuery {
  readonly group?: string | undefined;
  readonly node?: string | undefined;
  /** Such as `api:Orders`. */
  readonly artifact?: string | undefined;
  /** Identity such as `api:Orders/resource:0/in/1`; goes before the artifact. */
  readonly mediator?: string | undefined;
  /** Milliseconds since the epoch; `to` is not part of the range. */
  readonly from: number;
  readonly to: number;
  /** Milliseconds. */
  readonly step: number;
}

export interface RollupAnswer {
  /** Null for a step of which no node told anything. */
  readonly points: readonly ({ readonly at: number; readonly nodes: number } & (TallyFacts | NoFacts))[];
  readonly total: TallyFacts;
  /** The busiest first. */
  readonly artifacts: readonly ({ readonly artifact: string } & TallyFacts)[];
}

type NoFacts = Readonly<Record<keyof TallyFacts, null>>;
const noFacts: NoFacts = { messages: null, errors: null, meanTime: null, p50: null, p95: null, p99: null };

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
    query({ group, node, artifact, mediator, from, to, step }) {
      const chosen = registry
        .nodes(group)
        .filter(({ id }) => node === undefined || id === node)
        .flatMap((each) => nodes.get(keyOf(each)) ?? []);
      const tallyOf = (rollup: Rollup): Tally =>
        mediator !== undefined
          ? (rollup.byMediator?.get(mediator) ?? nothing)
          : artifact === undefined
            ? rollup.all
            : (rollup.byArtifact.get(artifact) ?? nothing);
      const tells = ({ at, byMediator }: Rollup): boolean =>
        at >= from && at < to && (mediator === undefined || byMediator !== undefined);
      const inRange = chosen.map(({ ring }) => ring.filter(tells));
      const points = Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => {
        const at = from + index * step;
        const found = inRange.map((ring) => ring.filter((rollup) => rollup.at >= at && rollup.at < at + step));
        const telling = found.filter((ring) => ring.length > 0);
        const facts =
          telling.length === 0 ? noFacts : factsOfTally(telling.flat().map(tallyOf).reduce(sumOf, nothing), bounds);
        return { at, nodes: telling.length, ...facts };
      });
      const all = inRange.flat();
      return {
        points,
        total: factsOfTally(all.map(tallyOf).reduce(sumOf, nothing), bounds),
        artifacts: artifactsOf(all, artifact).map(([name, tally]) => ({
          artifact: name,
          ...factsOfTally(tally, bounds),
        })),
      };
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
  for (const [name, tally] of more) sums.set(name, sumOf(sums.get(name) ?? nothing, tally));
  return sums;
}

function busiest(tallies: ReadonlyMap<string, Tally>, most: number): ReadonlyMap<string, Tally> {
  if (tallies.size <= most) return tallies;
  return new Map([...tallies].toSorted(([, left], [, right]) => right.messages - left.messages).slice(0, most));
}

function artifactsOf(rollups: readonly Rollup[], only: string | undefined): (readonly [string, Tally])[] {
  const sums = new Map<string, Tally>();
  for (const { byArtifact } of rollups) {
    for (const [name, tally] of byArtifact) {
      if (only === undefined || name === only) sums.set(name, sumOf(sums.get(name) ?? nothing, tally));
    }
  }
  return [...sums].toSorted(([, left], [, right]) => right.messages - left.messages);
}
