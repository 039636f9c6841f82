import { getLogger } from '#core';
import { MillraceError, type ErrorFacts, toError } from '#errors';

/** One field that breaks its rule. */
export interface FieldProblem {
  /** Where: `path.id`, `query.limit`, `body.items.0.name`. */
  readonly field: string;
  readonly rule: string;
  /** What was there, shortened. */
  readonly found: string;
}

/** What a client reads when an operation fails. */
export interface ErrorBody {
  readonly code: string | number;
  readonly message: string;
  readonly description?: string;
  readonly fields?: readonly FieldProblem[];
}

/** A failure with more to tell the client than its message. */
export class RestError extends MillraceError {
  readonly description: string | undefined;
  readonly fields: readonly FieldProblem[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    facts: ErrorFacts & {
      readonly description?: string;
      readonly fields?: readonly FieldProblem[];
      readonly headers?: Readonly<Record<string, string>>;
    },
  ) {
    super(facts);
    this.description = facts.description;
    this.fields = facts.fields;
    this.headers = facts.headers ?? {};
  }
}

const log = getLogger('rest');

/** Turns what an operation threw into what the client may know; an unexpected failure is logged and stays unnamed. */
export function toRestError(thrown: unknown, request: Request): MillraceError {
  const error =
    thrown instanceof MillraceError
      ? thrown
      : new MillraceError({ code: 'MR_REST_INTERNAL', message: 'The server failed to answer', cause: thrown });
  if (error.status >= 500) {
    const { pathname } = new URL(request.url);
    log.error({ method: request.method, path: pathname, code: error.code, err: toError(thrown) }, 'operation failed');
  }
  return error;
}

/** The common body of an error. */
export function errorBodyOf(error: MillraceError): ErrorBody {
  const { description, fields } = error instanceof RestError ? error : {};
  return {
    code: error.code,
    message: error.message,
    ...(description !== undefined && { description }),
    ...(fields && { fields }),
  };
}
