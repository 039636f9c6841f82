import { factsOfTally, nothing, TallySum, type Tally, type TallyFacts } from './tally.ts';

/** What passed through one node in one minute, or one hour. */
export interface Rollup {
  /** Its beginning, in milliseconds since the epoch. */
  readonly at: number;
  readonly all: Tally;
  readonly byArtifact: ReadonlyMap<string, Tally>;
  /** Undefined in those that are too old to tell mediators apart. */
  readonly byMediator: ReadonlyMap<string, Tally> | undefined;
}

/** The rollups of one node, the oldest first. */
export interface NodeRing {
  readonly group: string;
  readonly ring: readonly Rollup[];
}

export interface RollupQuery {
  readonly group?: string | undefined;
  /** All nodes when absent. */
  readonly nodes?: readonly string[] | undefined;
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
  readonly artifacts: readonly ({ readonly group: string; readonly artifact: string } & TallyFacts)[];
}

type NoFacts = Readonly<Record<keyof TallyFacts, null>>;
const noFacts: NoFacts = { messages: null, errors: null, meanTime: null, p50: null, p95: null, p99: null };

/** Figures of the rollups of some nodes over time; times by the bounds of their histograms. */
export function answerOf(rings: readonly NodeRing[], query: RollupQuery, bounds: readonly number[]): RollupAnswer {
  const { artifact, mediator, from, to, step } = query;
  const tallyOf = (rollup: Rollup): Tally =>
    mediator !== undefined
      ? (rollup.byMediator?.get(mediator) ?? nothing)
      : artifact === undefined
        ? rollup.all
        : (rollup.byArtifact.get(artifact) ?? nothing);
  const tells = ({ at, byMediator }: Rollup): boolean =>
    at >= from && at < to && (mediator === undefined || byMediator !== undefined);
  const told = rings.flatMap(({ group, ring }, node) => ring.filter(tells).map((rollup) => ({ group, node, rollup })));
  const byStep = Map.groupBy(told, ({ rollup }) => Math.floor((rollup.at - from) / step));
  const factsOf = (some: typeof told): TallyFacts => {
    const sum = new TallySum();
    for (const { rollup } of some) sum.add(tallyOf(rollup));
    return factsOfTally(sum, bounds);
  };
  const points = Array.from({ length: Math.ceil((to - from) / step) }, (_, index) => {
    const found = byStep.get(index) ?? [];
    const nodes = new Set(found.map(({ node }) => node)).size;
    return { at: from + index * step, nodes, ...(nodes === 0 ? noFacts : factsOf(found)) };
  });
  // Groups may have artifacts of the same name that have nothing to do with each other.
  const artifacts = [...Map.groupBy(told, ({ group }) => group)]
    .flatMap(([group, some]) => {
      const sums = new Map<string, TallySum>();
      for (const { rollup } of some) {
        for (const [name, tally] of rollup.byArtifact) {
          const sum = sums.get(name) ?? new TallySum();
          sum.add(tally);
          sums.set(name, sum);
        }
      }
      return [...sums].map(([name, tally]) => ({ group, artifact: name, ...factsOfTally(tally, bounds) }));
    })
    .filter((facts) => artifact === undefined || facts.artifact === artifact)
    .toSorted((left, right) => right.messages - left.messages);
  return { points, total: factsOf(told), artifacts };
}
