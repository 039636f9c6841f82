import type { Changes } from './snapshot.ts';

/** One mediator that a message went through. */
export interface TraceStep {
  readonly mediator: string;
  readonly element: string;
  /** Milliseconds since the beginning of the trace. */
  readonly start: number;
  readonly duration: number | undefined;
  /** What had changed since the message was last looked at, and what the mediator changed; absent for nothing. */
  readonly before?: Changes | undefined;
  readonly after?: Changes | undefined;
  readonly error?: string | undefined;
}

/** The way of one message through the artifacts that are traced. */
export interface MessageTrace {
  /** Rises by one with each trace. */
  readonly number: number;
  readonly message: string;
  /** Artifact in which it began. */
  readonly artifact: string;
  /** What callers correlate their messages by; undefined without such a header. */
  readonly correlation: string | undefined;
  /** Name of the capture that asked for it; undefined for artifacts that are traced as a whole. */
  readonly capture: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds until the exchange was over; undefined while it is not. */
  readonly duration: number | undefined;
  readonly failed: boolean;
  readonly steps: readonly TraceStep[];
  /** Steps that were not recorded, because there were too many. */
  readonly omitted: number;
}

/** A step that is still being written. */
export interface OpenStep extends TraceStep {
  duration: number | undefined;
  before?: Changes | undefined;
  after?: Changes | undefined;
  error?: string | undefined;
}

/** A trace that is still being written. */
export interface OpenTrace extends MessageTrace {
  correlation: string | undefined;
  duration: number | undefined;
  failed: boolean;
  readonly steps: OpenStep[];
  omitted: number;
}

/** Changes the texts of a step that was written. */
export function rewriteStep(step: OpenStep, rewrite: (text: string) => string): void {
  const changed = (changes: Changes): Changes => {
    const entries = Object.entries(changes).map(
      ([name, text]) => [name, text === null ? null : rewrite(text)] as const,
    );
    return Object.fromEntries(entries);
  };
  if (step.before) step.before = changed(step.before);
  if (step.after) step.after = changed(step.after);
  if (step.error !== undefined) step.error = rewrite(step.error);
}

export interface MessageTraces {
  open(facts: Omit<OpenTrace, 'number' | 'duration' | 'failed' | 'steps' | 'omitted'>): OpenTrace;
  /** Writes a step, as long as there is room for it. */
  add(trace: OpenTrace, step: OpenStep): void;
  /** Those with a number above `after`, oldest first. */
  list(after?: number): readonly MessageTrace[];
  find(number: number): MessageTrace | undefined;
  clear(): void;
}

const stepLimit = 2000;

/** Makes a ring that keeps the latest traces in memory, bounded by their number and by characters. */
export function createMessageTraces(limits = { traces: 200, characters: 32 * 1024 * 1024 }): MessageTraces {
  let kept: OpenTrace[] = [];
  const sizes = new WeakMap<OpenTrace, number>();
  let number = 0;
  let characters = 0;

  const dropOldest = (): void => {
    const dropped = kept.shift();
    if (!dropped) return;
    characters -= sizes.get(dropped) ?? 0;
    sizes.delete(dropped);
  };

  return {
    open(facts) {
      const trace = { number: ++number, ...facts, duration: undefined, failed: false, steps: [], omitted: 0 };
      kept.push(trace);
      sizes.set(trace, 0);
      if (kept.length > limits.traces) dropOldest();
      return trace;
    },
    add(trace, step) {
      // One that has left the ring has no size any more.
      const size = sizes.get(trace);
      if (size === undefined || trace.steps.length >= stepLimit) {
        trace.omitted++;
        return;
      }
      const added = sizeOf(step.before) + sizeOf(step.after) + 200;
      trace.steps.push(step);
      sizes.set(trace, size + added);
      characters += added;
      while (characters > limits.characters && kept.length > 0) dropOldest();
    },
    list: (after = 0) => kept.filter((trace) => trace.number > after),
    find: (wanted) => kept.find((trace) => trace.number === wanted),
    clear() {
      kept = [];
      characters = 0;
    },
  };
}

function sizeOf(changes: Changes | undefined): number {
  let size = 0;
  for (const [name, value] of Object.entries(changes ?? {})) size += name.length + (value?.length ?? 0);
  return size;
}
