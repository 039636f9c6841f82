import type { Clock } from '#core';
import { compileExpression, type Expression } from '#expression';
import { getHeader, type Message } from '#message';
import type { Recorded } from './snapshot.ts';

/** Which messages are traced, and for how long. */
export interface CaptureRequest {
  /** Key of the artifact in which a trace begins; every artifact when absent. */
  readonly artifact?: string | undefined;
  /** Name of a header that a message must have, and its value, if that matters. */
  readonly header?: { readonly name: string; readonly value?: string | undefined } | undefined;
  /** Expression that must be true for a message when it enters its first traced mediator. */
  readonly predicate?: string | undefined;
  /** How many messages, after which the capture ends by itself. */
  readonly next: number;
  /** Milliseconds after which it ends in any case. */
  readonly duration: number;
  readonly recorded: Recorded;
}

export interface Capture extends CaptureRequest {
  readonly id: string;
  /** Messages that it still takes. */
  readonly remaining: number;
  /** Milliseconds since the epoch at which it ends. */
  readonly until: number;
}

/** The captures that are on. */
export interface Captures {
  /** The caller has the artifacts compiled anew. @throws ExpressionError for a predicate that is no expression */
  add(request: CaptureRequest, id?: string): Capture;
  remove(id: string): boolean;
  /** Counts a message that another process of the node has taken. */
  spend(id: string): void;
  /** Hears the id of the capture that took a message here. */
  onTaken(listener: (id: string) => void): void;
  list(): readonly Capture[];
  /** True when a mediator of the artifact must be observed. */
  concerns(artifact: string): boolean;
  /** The capture that takes a message in an artifact, which counts it; undefined when none does. */
  take(artifact: string, message: Message): Capture | undefined;
}

interface OpenCapture extends Capture {
  remaining: number;
  readonly condition: Expression | undefined;
  readonly cancel: () => void;
}

/** Makes an empty list; `changed` is called when one has ended. */
export function createCaptures(clock: Clock, changed: () => void): Captures {
  const captures = new Map<string, OpenCapture>();
  let number = 0;
  let tell: (id: string) => void = () => undefined;

  const remove = (id: string): boolean => {
    const capture = captures.get(id);
    if (!capture) return false;
    captures.delete(id);
    capture.cancel();
    changed();
    return true;
  };

  return {
    add(request, id = String(++number)) {
      const condition = request.predicate === undefined ? undefined : compileExpression(request.predicate);
      const capture: OpenCapture = {
        id,
        ...request,
        remaining: request.next,
        until: clock.now() + request.duration,
        condition,
        cancel: clock.after(request.duration, () => void remove(id)),
      };
      captures.set(id, capture);
      return shown(capture);
    },
    remove,
    spend(id) {
      const capture = captures.get(id);
      if (capture && --capture.remaining <= 0) remove(id);
    },
    onTaken(listener) {
      tell = listener;
    },
    list: () => [...captures.values()].map(shown),
    concerns: (artifact) => captures.values().some((capture) => (capture.artifact ?? artifact) === artifact),
    take(artifact, message) {
      for (const capture of captures.values()) {
        if (capture.remaining <= 0 || !isWanted(capture, artifact, message)) continue;
        capture.remaining--;
        tell(capture.id);
        // The world is not exchanged on the turn of a message.
        if (capture.remaining === 0) setImmediate(() => void remove(capture.id));
        return shown(capture);
      }
      return undefined;
    },
  };
}

function isWanted({ artifact: wanted, header, condition }: OpenCapture, artifact: string, message: Message): boolean {
  if (wanted !== undefined && wanted !== artifact) return false;
  if (header) {
    const value = getHeader(message.headers, header.name);
    if (value === undefined || (header.value !== undefined && header.value !== value)) return false;
  }
  if (!condition) return true;
  try {
    return condition.evaluateBoolean(message);
  } catch {
    // An expression that this message does not fit is not true for it.
    return false;
  }
}

function shown({ condition: _condition, cancel: _cancel, ...capture }: OpenCapture): Capture {
  return { ...capture };
}
