import type { MediatorCounts, MessageTrace, Observer } from '#mediation';
import { summaryOf, type TraceSummary } from './trace-summary.ts';

/** Counters that changed, and the cursor to ask with next time. */
export interface CounterList {
  readonly cursor: number;
  readonly mediators: readonly MediatorCounts[];
}

/** What was counted and traced on a node, in all of its processes. */
export interface NodeObservations {
  counters(since: number): CounterList | Promise<CounterList>;
  /** All of them; `isFound` says which hold the word, which is in lower case. */
  traces(word?: string): readonly TraceSummary[] | Promise<readonly TraceSummary[]>;
  trace(number: number): MessageTrace | undefined | Promise<MessageTrace | undefined>;
  clearTraces(): void | Promise<void>;
}

/** A change that holds for every process of a node: the latest state of each subject counts. */
export interface NodeChange {
  readonly name: 'observe' | 'status' | 'capture' | 'correlation' | 'levels' | 'vault' | 'rebuild';
  readonly subject: string;
  readonly state: unknown;
}

/** What the processes of a node have in common, as the management API needs it. */
export interface ManagedNode {
  /** The number of this process; undefined when it is alone. */
  readonly worker: number | undefined;
  readonly observations: NodeObservations;
  /** Has every other process make a change that was made here, and those that start later. */
  spread(change: NodeChange): Promise<void>;
  /** Does `work` when another process has made such a change. */
  follow(name: NodeChange['name'], work: (subject: string, state: unknown) => unknown): void;
}

/** What one process has observed. */
export function ownObservations({ counters, traces }: Observer): NodeObservations {
  return {
    counters: (since) => counters.list(since),
    traces: (word) => traces.list().map((trace) => summaryOf(trace, word)),
    trace: (number) => traces.find(number),
    clearTraces: () => traces.clear(),
  };
}
