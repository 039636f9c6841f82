import { messageOf, PendingValue } from '#errors';
import { getHeader, type Message, type MessageExchange } from '#message';
import type { Clock } from '#core';
import type { Flow } from '../flow.ts';
import type { Compiled } from '../mediator.ts';
import type { Advice } from '../advice.ts';
import type { Captures } from './captures.ts';
import type { Cover, Masking } from './create-masking.ts';
import { rewriteStep, type MessageTraces, type OpenStep, type OpenTrace, type TraceStep } from './message-traces.ts';
import { changesBetween, takeSnapshot, type Recorded, type Snapshot } from './snapshot.ts';

/** What tracing works with. */
export interface TracingParts {
  readonly traces: MessageTraces;
  readonly captures: Captures;
  /** True for an artifact that is traced as a whole. */
  isTraced(artifact: string): boolean;
  /** What is recorded of messages that no capture asked for. */
  readonly recorded: Recorded;
  readonly masking: Masking;
  readonly clock: Clock;
  readonly maxBodyBytes: number;
  /** Headers by which callers correlate messages, the first one that is there. */
  readonly correlationHeaders: readonly string[];
}

interface Following {
  readonly trace: OpenTrace;
  readonly recorded: Recorded;
  readonly began: number;
  readonly cover: Cover;
  /** Each flow of the exchange as it was last seen. */
  readonly seen: WeakMap<Message, Snapshot>;
}

/** Makes the advice that records what mediators do to the messages that are traced. */
export function createTracing(parts: TracingParts): (artifact: string) => Advice {
  const { traces, captures, clock, masking, maxBodyBytes } = parts;
  const { looksIntoPayloads } = masking;
  /** The trace of an exchange; null once it was decided that there is none. */
  const followed = new WeakMap<MessageExchange, Map<string, Following | null>>();

  const follow = (artifact: string, message: Message): Following | null => {
    const { exchange } = message;
    const known = followed.get(exchange);
    // A message that is traced somewhere is traced wherever it comes to; one that was refused is asked once each.
    const any = known?.get('');
    if (any) return any;
    const decided = known?.get(artifact);
    if (decided !== undefined) return decided;
    const capture = captures.take(artifact, message);
    const decision = capture || parts.isTraced(artifact) ? begin(artifact, message, capture) : null;
    const decisions = known ?? new Map<string, Following | null>();
    decisions.set(decision ? '' : artifact, decision);
    followed.set(exchange, decisions);
    return decision;
  };

  const begin = (
    artifact: string,
    message: Message,
    capture: { readonly id: string; readonly recorded: Recorded } | undefined,
  ): Following => {
    const { exchange } = message;
    const cover = masking.begin();
    const trace = traces.open({
      message: message.id,
      artifact,
      correlation: parts.correlationHeaders
        .map((name) => ({ name, value: getHeader(message.headers, name) }))
        .map(({ name, value }) => (value === undefined ? undefined : cover.header(name, value)))
        .find((value) => value !== undefined),
      capture: capture?.id,
      at: clock.now(),
    });
    const began = clock.monotonic();
    const end = (): void => {
      trace.duration = clock.monotonic() - began;
      trace.failed = exchange.failed;
    };
    (exchange.releases ??= []).push(end);
    return { trace, recorded: capture?.recorded ?? parts.recorded, began, cover, seen: new WeakMap() };
  };

  const look = ({ trace, seen, recorded, cover }: Following, message: Message): TraceStep['before'] => {
    const { covered } = cover;
    const now = takeSnapshot(message, { recorded, cover, looksIntoPayloads });
    let before = seen.get(message);
    if (cover.covered > covered) {
      // A value that no rule covered where it stood before must not stay there.
      for (const step of trace.steps) rewriteStep(step, cover.again);
      if (trace.correlation !== undefined) trace.correlation = cover.again(trace.correlation);
      if (before) before = new Map([...before].map(([name, text]) => [name, cover.again(text)]));
    }
    const changes = changesBetween(before, now);
    seen.set(message, now);
    return changes;
  };

  return (artifact) => ({
    around(run, { id, element }): Compiled {
      const observe = (following: Following, message: Message): Flow | Promise<Flow> => {
        const began = clock.monotonic();
        const before = look(following, message);
        const step: OpenStep = {
          mediator: id,
          element,
          start: began - following.began,
          duration: undefined,
          ...(before && { before }),
        };
        let isNoted = false;
        const end = (error?: unknown): void => {
          step.duration = clock.monotonic() - began;
          const after = look(following, message);
          if (after) step.after = after;
          if (error !== undefined) step.error = following.cover.text(messageOf(error));
          rewriteStep(step, following.cover.again);
          if (!isNoted) traces.add(following.trace, step);
          isNoted = true;
        };
        const failed = (error: unknown): never => {
          // A mediator that waits for a value runs again with it.
          if (!(error instanceof PendingValue)) end(error);
          throw error;
        };
        try {
          const flow = run(message);
          if (typeof flow !== 'boolean') {
            return flow.then((value) => {
              end();
              return value;
            }, failed);
          }
          end();
          return flow;
        } catch (error) {
          return failed(error);
        }
      };
      return (message) => {
        const following = follow(artifact, message);
        if (!following) return run(message);
        const { payload } = message;
        if (!(following.recorded.payloads || looksIntoPayloads) || payload.loaded) return observe(following, message);
        return payload.load(maxBodyBytes).then(() => observe(following, message));
      };
    },
  });
}
