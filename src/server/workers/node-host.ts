import { mergeMetrics, snapshotMetrics, totalsOf, type Clock, type MetricSnapshot } from '#core';
import type { FaultNarrative, RateLimit, StoreReach } from '#mediation';
import { createThrottles, MemoryQueue } from '#mediation/node';
import type { Methods } from './channel.ts';
import { createSessionShelf } from './session-shelf.ts';

/** Most narratives that wait to be told, and the milliseconds after which they are. */
const narrativesAtOnce = 200;
const narrativePause = 100;

/** What the processes of a node have in common, where it is held. */
export interface NodeHost {
  /** What one worker may ask for; `key` stands for the process. */
  methodsOf(key: number): Methods;
  /** A worker has ended: the places that its requests had are free again. */
  left(key: number): void;
  /** Notes what a worker has measured. */
  measured(key: number, snapshot: readonly MetricSnapshot[]): void;
  /** Who is signed in, in all of them. */
  readonly sessions: { readonly size: number };
  /** What all processes measured, those that have ended included. */
  snapshots(): readonly (readonly MetricSnapshot[])[];
}

/** @param tell passes narratives on to every worker */
export function createNodeHost(clock: Clock, tell: (narratives: readonly FaultNarrative[]) => void): NodeHost {
  const queues = new Map<string, MemoryQueue<string>>();
  const throttles = createThrottles(clock);
  const sessions = createSessionShelf(clock);
  const places = new Map<number, Map<number, () => void>>();
  const latest = new Map<number, readonly MetricSnapshot[]>();
  let ended: readonly MetricSnapshot[] = [];
  let lastTicket = 0;
  let narrated: FaultNarrative[] = [];

  const queueOf = (name: string): MemoryQueue<string> => {
    const queue = queues.get(name) ?? new MemoryQueue<string>();
    queues.set(name, queue);
    return queue;
  };

  const narrate = (narrative: FaultNarrative): void => {
    if (narrated.length === 0) {
      clock.after(narrativePause, () => {
        tell(narrated);
        narrated = [];
      });
    }
    if (narrated.push(narrative) > narrativesAtOnce) narrated.shift();
  };

  return {
    methodsOf(key) {
      const held = new Map<number, () => void>();
      places.set(key, held);
      return {
        'store.offer': (name: string, message: string) => queueOf(name).offer(message),
        'store.peek': (name: string, besides: ReadonlySet<number>) => queueOf(name).peek(besides),
        'store.remove': (name: string, number: number) => queueOf(name).remove(number),
        'store.clear': (name: string) => queueOf(name).clear(),
        'store.size': (name: string) => queueOf(name).size,
        'store.list': (name: string, reach: StoreReach) => queueOf(name).list(reach),
        'store.find': (name: string, number: number) => queueOf(name).find(number),
        'throttle.enter'(id: string, maximum: number) {
          const leave = throttles.of(id).enter(maximum);
          if (!leave) return undefined;
          held.set(++lastTicket, leave);
          return lastTicket;
        },
        'throttle.leave'(ticket: number) {
          held.get(ticket)?.();
          held.delete(ticket);
        },
        'throttle.admits': (id: string, group: string, limit: RateLimit) => throttles.of(id).admits(group, limit),
        narrate,
        'session.keep': (...args: Parameters<typeof sessions.keep>) => sessions.keep(...args),
        'session.find': (hash: string) => sessions.find(hash),
        'session.drop': (hash: string) => sessions.drop(hash),
      };
    },
    left(key) {
      for (const leave of places.get(key)?.values() ?? []) leave();
      places.delete(key);
      const last = latest.get(key);
      latest.delete(key);
      if (last) ended = snapshotMetrics(mergeMetrics([ended, totalsOf(last)]));
    },
    sessions,
    measured: (key, snapshot) => void latest.set(key, snapshot),
    snapshots: () => [...latest.values(), ended],
  };
}
