import { createConcurrencyLimiter, getLogger, type Clock } from '#core';
import { messageOf } from '#errors';
import { createCounterDeltas, type CounterAnswer, type CounterDeltas } from './counter-deltas.ts';
import type { Registry, RuntimeNode } from './registry.ts';
import { factsOfTally, nothing, sumOf, type Tally, type TallyFacts } from './tally.ts';

const log = getLogger('dashboard');

/** Milliseconds of one rollup. */
export const minute = 60_000;
/** Rollups that are kept of each node. */
export const keptMinutes = 12 * 60;
/** Artifacts that a rollup tells apart; the others are in its sum only. */
const artifactsKept = 20;

/** What passed through one node in one minute. */
interface Rollup {
  /** Its beginning, in milliseconds since the epoch. */
  readonly at: number;
  readonly all: Tally;
  readonly byArtifact: ReadonlyMap<string, Tally>;
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
  /** Reads the nodes now and notes what happened in the minute that ends. */
  collect(): Promise<void>;
}

export interface RollupParts {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly poolSize: number;
  /** Undefined for a runtime that has no counters. */
  readonly read: (node: RuntimeNode, since: number) => Promise<CounterAnswer | undefined>;
}

/** Begins to collect with every full minute. */
export function createRollups({ registry, clock, poolSize, read }: RollupParts): Rollups {
  const pool = createConcurrencyLimiter({ concurrency: poolSize, queue: Number.MAX_SAFE_INTEGER });
  const nodes = new Map<string, NodeRollups>();
  let bounds: readonly number[] = [];

  const keyOf = ({ group, id }: Pick<RuntimeNode, 'group' | 'id'>): string => JSON.stringify([group, id]);

  const collectNode = async (node: RuntimeNode, at: number): Promise<void> => {
    const own = nodes.get(keyOf(node)) ?? { deltas: createCounterDeltas(), ring: [] };
    try {
      const answer = await read(node, own.deltas.cursor);
      if (!answer) return;
      nodes.set(keyOf(node), own);
      if (answer.bounds.length > 0) bounds = answer.bounds;
      const tallies = own.deltas.take(answer);
      if (tallies) own.ring.push(rollupOf(at, tallies));
      while ((own.ring[0]?.at ?? at) <= at - keptMinutes * minute) own.ring.shift();
    } catch (error) {
      log.debug({ group: node.group, node: node.id, cause: messageOf(error) }, 'figures of a runtime were not read');
    }
  };

  const collect = async (): Promise<void> => {
    const at = Math.ceil(clock.now() / minute) * minute - minute;
    const present = registry.nodes();
    const keys = new Set(present.map(keyOf));
    for (const key of nodes.keys()) if (!keys.has(key)) nodes.delete(key);
    const readable = present.filter((node) => node.trust === 'approved' && registry.health(node) !== 'lost');
    await Promise.all(readable.map((node) => pool.run(() => collectNode(node, at))));
  };

  let stop = (): void => undefined;
  const next = (): void => {
    stop = clock.after(minute - (clock.now() % minute), () => {
      next();
      void collect();
    });
  };
  next();

  return {
    collect,
    query({ group, node, artifact, from, to, step }) {
      const chosen = registry
        .nodes(group)
        .filter(({ id }) => node === undefined || id === node)
        .flatMap((each) => nodes.get(keyOf(each)) ?? []);
      const tallyOf = (rollup: Rollup): Tally =>
        artifact === undefined ? rollup.all : (rollup.byArtifact.get(artifact) ?? nothing);
      const inRange = chosen.map(({ ring }) => ring.filter(({ at }) => at >= from && at < to));
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
    [Symbol.dispose]: () => stop(),
  };
}

function rollupOf(at: number, tallies: ReadonlyMap<string, Tally>): Rollup {
  const busiest = [...tallies].toSorted(([, left], [, right]) => right.messages - left.messages);
  return {
    at,
    all: [...tallies.values()].reduce(sumOf, nothing),
    byArtifact: new Map(busiest.slice(0, artifactsKept)),
  };
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
