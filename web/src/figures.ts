import { useEffect, useState } from 'react';
import { ask, messageOf, nodePath, type NodeFacts } from './api.ts';
import type { Figures } from './flow/flow-view.tsx';
import { keepLoading } from './live.tsx';

/** Figures of one mediator as a runtime says them. */
export interface Counter {
  readonly id: string;
  readonly element: string;
  readonly count: number;
  readonly errors: number;
  readonly inFlight: number;
  readonly timeSum: number;
  readonly histogram: readonly number[];
}

/** All counters of some nodes, added up by mediator, and the bounds of their histograms. */
export interface Counters {
  readonly bounds: readonly number[];
  readonly byId: ReadonlyMap<string, Counter>;
  readonly problem: string | undefined;
}

/** Keeps the counters of some nodes up to date; each answer brings only what changed. */
export function useCounters(
  nodes: readonly Pick<NodeFacts, 'group' | 'id'>[],
  artifact?: string,
): Counters | undefined {
  const [counters, setCounters] = useState<Counters>();
  const key = JSON.stringify([nodes.map(({ group, id }) => [group, id]), artifact]);
  useEffect(() => {
    const cursors = new Map<string, number>();
    const known = new Map<string, Map<string, Counter>>();
    let isOver = false;
    const load = async (): Promise<void> => {
      let bounds: readonly number[] = [];
      let problem: string | undefined;
      await Promise.all(
        nodes.map(async (node) => {
          const query = new URLSearchParams({ since: String(cursors.get(node.id) ?? 0) });
          if (artifact !== undefined) query.set('artifact', artifact);
          try {
            const answer = (await ask('GET', nodePath(node, `counters?${query.toString()}`))) as {
              cursor: number;
              bounds: readonly number[];
              list: readonly Counter[];
            };
            bounds = answer.bounds;
            // A runtime that began anew counts from the beginning.
            if (answer.cursor < (cursors.get(node.id) ?? 0)) known.delete(node.id);
            cursors.set(node.id, answer.cursor);
            const own = known.get(node.id) ?? new Map<string, Counter>();
            for (const counter of answer.list) own.set(counter.id, counter);
            known.set(node.id, own);
          } catch (error) {
            problem = messageOf(error);
          }
        }),
      );
      if (!isOver)
        setCounters((before) => ({
          bounds: bounds.length > 0 ? bounds : (before?.bounds ?? []),
          byId: added(known),
          problem,
        }));
    };
    void load();
    const stop = keepLoading(() => void load(), 3);
    return () => {
      isOver = true;
      stop();
    };
  }, [key]);
  return counters;
}

function added(known: ReadonlyMap<string, ReadonlyMap<string, Counter>>): Map<string, Counter> {
  const sum = new Map<string, Counter>();
  for (const counters of known.values()) {
    for (const counter of counters.values()) {
      const before = sum.get(counter.id);
      sum.set(
        counter.id,
        before
          ? {
              ...before,
              count: before.count + counter.count,
              errors: before.errors + counter.errors,
              inFlight: before.inFlight + counter.inFlight,
              timeSum: before.timeSum + counter.timeSum,
              histogram: before.histogram.map((value, index) => value + (counter.histogram[index] ?? 0)),
            }
          : counter,
      );
    }
  }
  return sum;
}

/** The bound below which 95 of 100 messages stayed. */
export function p95Of({ histogram, count }: Counter, bounds: readonly number[]): number | undefined {
  let seen = 0;
  for (const [index, value] of histogram.entries()) {
    seen += value;
    if (seen >= count * 0.95 && count > 0) return bounds[index] ?? bounds.at(-1);
  }
  return undefined;
}

/** What the flow view shows of counters; undefined when nothing was counted. */
export function figuresOf(counters: Counters | undefined): ReadonlyMap<string, Figures> | undefined {
  if (!counters || counters.byId.size === 0) return undefined;
  return new Map(
    [...counters.byId].map(([id, counter]) => [
      id,
      {
        count: counter.count,
        errors: counter.errors,
        inFlight: counter.inFlight,
        p95: p95Of(counter, counters.bounds),
      },
    ]),
  );
}
