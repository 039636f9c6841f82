import { formatPosition, MillraceError, messageOf, synapseCodes, type Position } from '#errors';
import type { Message } from '#message';

export interface FaultFacts {
  /** Numeric code of the original, or the text that a `throwError` names. */
  readonly code: number | string;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly cause?: unknown;
}

/** A failed message: the code that sequences see, and the mediator that raised it. */
export class Fault extends MillraceError {
  /** Identity of the mediator, such as `api:Orders/resource:0/in/2`. */
  readonly mediator: string | undefined;
  readonly position: Position | undefined;

  constructor(facts: FaultFacts, place?: { mediator: string; position: Position | undefined }) {
    super({
      code: facts.code,
      message: facts.message,
      ...(facts.detail === undefined ? {} : { detail: facts.detail }),
      ...(facts.cause === undefined ? {} : { cause: facts.cause }),
    });
    this.mediator = place?.mediator;
    this.position = place?.position;
  }
}

/**
 * Turns anything that a mediator threw into a `Fault` that names the mediator. A fault that already knows its place
 * is passed on as it is.
 */
export function faultAt(thrown: unknown, mediator: string, position: Position | undefined): Fault {
  if (thrown instanceof Fault && thrown.mediator !== undefined) return thrown;
  const known = thrown instanceof MillraceError && (typeof thrown.code === 'number' || thrown instanceof Fault);
  const detail = thrown instanceof MillraceError ? thrown.detail : undefined;
  return new Fault(
    {
      code: known ? thrown.code : synapseCodes.mediation,
      message: messageOf(thrown),
      detail,
      cause: thrown instanceof Fault ? thrown.cause : thrown,
    },
    { mediator, position },
  );
}

/** Puts the error properties on the message, as fault sequences read them (runtime-core 3.6). */
export function describeFault(message: Message, fault: Fault): void {
  const { properties } = message;
  const firstLine = fault.message.split('\n', 1)[0] ?? '';
  // A failure without a code of its own leaves one that is there already (runtime-core 3.6).
  if (fault.code !== synapseCodes.mediation || !properties.has('ERROR_CODE')) properties.set('ERROR_CODE', fault.code);
  properties.set('ERROR_MESSAGE', firstLine);
  properties.set('ERROR_DETAIL', fault.detail ?? fault.message);
  properties.set('ERROR_EXCEPTION', fault.cause ?? fault);
}

/** The facts of a fault for the log. */
export function faultFields(fault: Fault): Record<string, unknown> {
  return {
    code: fault.code,
    mediator: fault.mediator,
    at: fault.position && formatPosition(fault.position),
    error: fault.message,
    detail: fault.detail,
  };
}
