import { MillraceError } from '#errors';

/** An expression, template or path that cannot be compiled; `offset` counts from 0 within its text. */
export class ExpressionError extends MillraceError {
  readonly offset: number;
  readonly #reason: string;

  constructor(reason: string, offset: number) {
    super({ code: 'MR_EXPRESSION_SYNTAX', message: `${reason} (offset ${offset})` });
    this.#reason = reason;
    this.offset = offset;
  }

  /** The same error within a text that holds the expression `shift` characters further on. */
  shifted(shift: number): ExpressionError {
    return new ExpressionError(this.#reason, this.offset + shift);
  }
}

/** An expression that was compiled but could not be evaluated on this message. */
export class EvaluationError extends MillraceError {
  constructor(message: string, cause?: unknown) {
    super({ code: 'MR_EXPRESSION_EVALUATION', message, cause });
  }
}

/** An error that says what was expected at `offset` of `source` and what stands there. */
export function unexpected(expected: string, source: string, offset: number): ExpressionError {
  const word = /^(?:[\p{L}\p{N}_]+|\S)/u.exec(source.slice(offset, offset + 40).trimStart());
  const found = word ? `"${word[0]}"` : 'the end';
  return new ExpressionError(`expected ${expected} but found ${found}`, offset);
}

/** Runs a compile step on a part of a larger text, so that its errors speak of the whole. */
export function within<T>(shift: number, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    throw error instanceof ExpressionError ? error.shifted(shift) : error;
  }
}
