import { asList, asNumber, asRecord, asText } from './json-shape.ts';
import { nothing, sumOf, type Tally } from './tally.ts';

/** What a runtime answered about its counters, as far as it matters here. */
export interface CounterAnswer {
  readonly cursor: number;
  readonly bounds: readonly number[];
  readonly counters: readonly Counter[];
}

interface Counter {
  readonly id: string;
  readonly count: number;
  readonly errors: number;
  readonly time: number;
  readonly histogram: readonly number[];
}

export function readCounterAnswer(body: unknown): CounterAnswer {
  const { cursor, bounds, list } = asRecord(body);
  return {
    cursor: asNumber(cursor) ?? 0,
    bounds: asList(bounds).map((bound) => asNumber(bound) ?? 0),
    counters: asList(list)
      .map(asRecord)
      .map((item) => ({
        id: asText(item['id']) ?? '',
        count: asNumber(item['count']) ?? 0,
        errors: asNumber(item['errors']) ?? 0,
        time: asNumber(item['timeSum']) ?? 0,
        histogram: asList(item['histogram']).map((count) => asNumber(count) ?? 0),
      })),
  };
}

/** What passed through the artifacts and the mediators of one runtime between two answers. */
export interface Growth {
  readonly byArtifact: ReadonlyMap<string, Tally>;
  /** By identity, such as `api:Orders/resource:0/in/1`; without histograms. */
  readonly byMediator: ReadonlyMap<string, Tally>;
}

/** What the counters of one runtime grew by. */
export interface CounterDeltas {
  /** What to ask with next time. */
  readonly cursor: number;
  /** Undefined for the first answer, from before which nothing is known. */
  take(answer: CounterAnswer): Growth | undefined;
}

/** A step of a flow itself, not one inside another: those are the ones whose figures add up. */
const topStep = /^((?:api|proxy):[^/]+)((?:\/resource:\d+)?\/(?:in|out))\/(\d+)$/;

export function createCounterDeltas(): CounterDeltas {
  let known: Map<string, Counter> | undefined;
  let cursor = 0;
  return {
    get cursor() {
      return cursor;
    },
    take(answer) {
      const isFirst = known === undefined;
      // A runtime that began anew counts from the beginning.
      const before = known && answer.cursor >= cursor ? known : new Map<string, Counter>();
      known = before;
      cursor = answer.cursor;
      const grown = answer.counters.map((counter) => {
        const last = before.get(counter.id);
        before.set(counter.id, counter);
        // Another mediator may stand in its place, which counts from the beginning too.
        return lessBy(counter, last && last.count <= counter.count ? last : undefined);
      });
      if (isFirst) return undefined;
      const steps = grown.flatMap((counter) => {
        const place = topStep.exec(counter.id);
        return place ? [{ place, counter }] : [];
      });
      return { byArtifact: talliesOf(steps), byMediator: mediatorsOf(grown) };
    },
  };
}

interface Grown {
  readonly place: RegExpExecArray;
  readonly counter: Counter;
}

/** Messages are counted where they enter; of the times of several steps the histogram is that of the longest one. */
function talliesOf(grown: readonly Grown[]): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  const flows = Map.groupBy(grown, ({ place }) => `${place[1] ?? ''}${(place[2] ?? '').replace(/\/(?:in|out)$/, '')}`);
  for (const steps of flows.values()) {
    const artifact = steps[0]?.place[1] ?? '';
    const own = steps.reduce<Tally>((sum, { place, counter }) => {
      const isEntry = place[2]?.endsWith('/in') === true && place[3] === '0';
      return sumOf(sum, {
        messages: isEntry ? counter.count : 0,
        errors: counter.errors,
        time: counter.time,
        histogram: [],
      });
    }, nothing);
    const longest = steps.toSorted((left, right) => right.counter.time - left.counter.time)[0]?.counter.histogram ?? [];
    const tally = { ...own, histogram: longest };
    tallies.set(artifact, sumOf(tallies.get(artifact) ?? nothing, tally));
  }
  return tallies;
}

function mediatorsOf(grown: readonly Counter[]): ReadonlyMap<string, Tally> {
  const passed = grown.filter(({ count }) => count > 0);
  return new Map(
    passed.map(({ id, count, errors, time }) => [id, { messages: count, errors, time, histogram: [] }] as const),
  );
}

function lessBy(counter: Counter, base: Counter | undefined): Counter {
  if (!base) return counter;
  return {
    id: counter.id,
    count: counter.count - base.count,
    errors: counter.errors - base.errors,
    time: Math.max(0, counter.time - base.time),
    histogram: counter.histogram.map((count, index) => count - (base.histogram[index] ?? 0)),
  };
}
