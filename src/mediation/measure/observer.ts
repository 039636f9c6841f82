import type { Clock } from '#core';
import type { Advice } from '../advice.ts';
import { joinAdvice } from './advice.ts';
import type { Masking } from './create-masking.ts';
import { createCaptures, type Captures } from './captures.ts';
import { createMediatorCounters, type MediatorCounters } from './mediator-counters.ts';
import { createMessageTraces, type MessageTraces } from './message-traces.ts';
import type { Recorded } from './snapshot.ts';
import { createTracing } from './tracing.ts';

/** What the configuration says about observing. */
export interface ObserverSettings {
  /** True when the `statistics` of artifacts count (`mediation.flow.statistics.enable`). */
  readonly statistics: boolean;
  /** True when all artifacts are counted then, whatever they say. */
  readonly capturesAll: boolean;
  readonly recorded: Recorded;
  /** Milliseconds of a window of the counters; undefined for windows that are never reset. */
  readonly window: number | undefined;
  readonly maxBodyBytes: number;
  readonly correlationHeaders: readonly string[];
  readonly masking: Masking;
}

/** An artifact as far as observing it goes. */
export interface ObservedArtifact {
  readonly key: string;
  readonly observed: { readonly statistics: boolean; readonly trace: boolean };
}

/** How an artifact is observed now. */
export interface Observation {
  readonly statistics: boolean;
  readonly trace: boolean;
}

/**
 * Decides what is counted and traced. Advice is woven in when a world is compiled: after a change the artifacts must be
 * compiled anew, and what is not observed carries nothing.
 */
export interface Observer extends Disposable {
  readonly counters: MediatorCounters;
  readonly traces: MessageTraces;
  readonly captures: Captures;
  /** For whatever else shows messages. */
  readonly masking: Masking;
  /** What people decided, else what the artifact and the configuration say. */
  stateOf(artifact: ObservedArtifact): Observation;
  /** Decides for an artifact until the process ends; the caller has the artifacts compiled anew. */
  set(key: string, aspect: keyof Observation, isOn: boolean): void;
  /** True for an artifact whose messages may be followed wherever they come to. */
  follows(artifact: ObservedArtifact): boolean;
  /**
   * The same advice again as long as the artifact is observed as before: then it need not be compiled anew.
   *
   * @param isReached whether messages come there from an artifact whose messages are followed
   */
  adviceFor(artifact: ObservedArtifact, isReached?: boolean): Advice | undefined;
}

/** Makes an observer; `changed` is called when a capture ends and artifacts must be compiled anew. */
export function createObserver(settings: ObserverSettings, clock: Clock, changed: () => void): Observer {
  const decisions = { statistics: new Map<string, boolean>(), trace: new Map<string, boolean>() };
  const counters = createMediatorCounters(() => clock.monotonic());
  const traces = createMessageTraces();
  const captures = createCaptures(clock, changed);
  const traced = new Set<string>();
  const tracing = createTracing({ ...settings, traces, captures, clock, isTraced: (key) => traced.has(key) });
  const followed = new Map<string, { readonly counted: Advice; readonly alone: Advice }>();
  const followedAdvice = (key: string, isCounted: boolean): Advice => {
    const advice = followed.get(key) ?? followAs(tracing(key));
    followed.set(key, advice);
    return isCounted ? advice.counted : advice.alone;
  };
  const followAs = (alone: Advice): { counted: Advice; alone: Advice } => ({
    alone,
    counted: joinAdvice(counters.advice, alone) ?? alone,
  });
  let cancelWindow = (): void => undefined;
  const { window } = settings;
  const nextWindow = (): void => {
    if (window === undefined) return;
    cancelWindow = clock.after(window, () => {
      counters.resetWindow();
      nextWindow();
    });
  };
  let isCounting = false;

  const stateOf = ({ key, observed }: ObservedArtifact): Observation => ({
    statistics: decisions.statistics.get(key) ?? (settings.statistics && (settings.capturesAll || observed.statistics)),
    trace: decisions.trace.get(key) ?? observed.trace,
  });

  return {
    counters,
    traces,
    captures,
    masking: settings.masking,
    stateOf,
    set: (key, aspect, isOn) => void decisions[aspect].set(key, isOn),
    follows: (artifact) => stateOf(artifact).trace || captures.concerns(artifact.key),
    adviceFor(artifact, isReached = false) {
      const { key } = artifact;
      const { statistics, trace } = stateOf(artifact);
      if (trace) traced.add(key);
      else traced.delete(key);
      if (statistics && !isCounting) {
        isCounting = true;
        nextWindow();
      }
      if (isReached || trace || captures.concerns(key)) return followedAdvice(key, statistics);
      return statistics ? counters.advice : undefined;
    },
    [Symbol.dispose]: () => cancelWindow(),
  };
}
