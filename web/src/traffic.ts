import { useEffect, useState } from 'react';
import { ask } from './api.ts';
import { keepLoading } from './live.tsx';
import { useScope } from './location.tsx';
import { scoped } from './scope.ts';
import type { Moment } from './time-chart.tsx';
import { useTimeRange } from './time-range.tsx';

/** Figures of messages; times in milliseconds, null where nothing is known. */
export interface TrafficFacts {
  readonly messages: number | null;
  readonly errors: number | null;
  readonly meanTime: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

interface Rollups {
  readonly from: string;
  readonly to: string;
  /** Seconds. */
  readonly step: number;
  readonly points: readonly (TrafficFacts & { readonly at: string; readonly nodes: number })[];
  readonly total: TrafficFacts;
  readonly artifacts: readonly (TrafficFacts & { readonly group: string; readonly artifact: string })[];
}

/** Messages and errors over a time that ends now, and in the time as long before it. */
export interface Traffic {
  readonly moments: readonly Moment[];
  /** The time before, moved to where this one is; empty while the dashboard has not looked for so long. */
  readonly momentsBefore: readonly Moment[];
  readonly from: number;
  readonly to: number;
  /** Milliseconds that one moment stands for. */
  readonly step: number;
  readonly seconds: number;
  readonly total: TrafficFacts;
  /** Undefined while the dashboard has not looked for so long. */
  readonly before: TrafficFacts | undefined;
  readonly artifacts: Rollups['artifacts'];
}

/** What the dashboard noted of the time range and scope of the address, of all artifacts or of one; undefined at first. */
export function useTraffic(artifact?: string): Traffic | undefined {
  const range = useTimeRange();
  const scope = useScope();
  const scopeKey = scoped('', scope);
  const [traffic, setTraffic] = useState<Traffic>();
  useEffect(() => {
    let isOver = false;
    const read = async (from: number, to: number): Promise<Rollups> => {
      const query = {
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        step: String(range.step),
        ...(artifact !== undefined && { artifact }),
      };
      return (await ask('GET', scoped('/rollups', scope, query))) as Rollups;
    };
    const load = async (): Promise<void> => {
      const to = Date.now();
      const from = to - range.seconds * 1000;
      try {
        const [now, before] = await Promise.all([read(from, to), read(from - range.seconds * 1000, from)]);
        if (!isOver) setTraffic(trafficOf(now, before));
      } catch (error) {
        // What was shown stays; the list of nodes on the same page says that the dashboard does not answer.
        console.warn(error);
      }
    };
    void load();
    const stop = keepLoading(() => void load(), 5);
    return () => {
      isOver = true;
      stop();
    };
  }, [range, scopeKey, artifact]);
  return traffic;
}

function momentsOf({ points, step }: Rollups, later: number): readonly Moment[] {
  return points.flatMap(({ at, messages, errors, p95 }): Moment[] =>
    messages === null
      ? []
      : [{ at: Date.parse(at) + later, perSecond: messages / step, errorsPerSecond: (errors ?? 0) / step, p95 }],
  );
}

function trafficOf(now: Rollups, before: Rollups): Traffic {
  const { points, step, total, artifacts } = now;
  const [from, to] = [Date.parse(now.from), Date.parse(now.to)];
  return {
    moments: momentsOf(now, 0),
    momentsBefore: momentsOf(before, from - Date.parse(before.from)),
    from,
    to,
    step: step * 1000,
    // Only the time of which something is known counts for rates.
    seconds: Math.max(step, points.filter(({ messages }) => messages !== null).length * step),
    total,
    before: before.points.some(({ messages }) => messages !== null) ? before.total : undefined,
    artifacts,
  };
}
