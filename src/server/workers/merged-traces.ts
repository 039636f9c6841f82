import type { TraceSummary } from '#management';

/** Where a trace is kept. */
export interface TracePlace {
  readonly key: number;
  /** Its number there. */
  readonly number: number;
}

/** Numbers the traces of the processes of a node in one row, in the order in which they began. */
export interface MergedTraces {
  /** @param lists what each process has now */
  merge(lists: ReadonlyMap<number, readonly TraceSummary[]>): readonly TraceSummary[];
  placeOf(number: number): TracePlace | undefined;
}

export function createMergedTraces(): MergedTraces {
  let numbers = new Map<string, number>();
  let places = new Map<number, TracePlace>();
  let last = 0;
  return {
    merge(lists) {
      const all = [...lists].flatMap(([key, traces]) =>
        traces.map((trace) => ({ trace, place: { key, number: trace.number }, name: `${key}/${trace.number}` })),
      );
      all.sort((left, right) => left.trace.at - right.trace.at);
      const numbered = all.map((each) => ({ ...each, number: numbers.get(each.name) ?? ++last }));
      // What no process has any more is forgotten here too.
      numbers = new Map(numbered.map(({ name, number }) => [name, number]));
      places = new Map(numbered.map(({ number, place }) => [number, place]));
      return numbered
        .map(({ trace, number }) => ({ ...trace, number }))
        .toSorted((left, right) => left.number - right.number);
    },
    placeOf: (number) => places.get(number),
  };
}
