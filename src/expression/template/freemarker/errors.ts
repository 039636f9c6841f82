import { MillraceError } from '#errors';

/** A place in a template; both count from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A template that cannot be compiled. */
export class TemplateSyntaxError extends MillraceError {
  readonly line: number;
  readonly column: number;
  readonly reason: string;

  constructor(reason: string, { line, column }: Place) {
    super({ code: 'MR_FREEMARKER_SYNTAX', message: `${reason} (line ${line}, column ${column} of the template)` });
    this.reason = reason;
    this.line = line;
    this.column = column;
  }
}

/** What went wrong: a missing value, a value of another type, `<#stop>`, a limit, or something else. */
export type FailureKind = 'missing' | 'type' | 'stop' | 'limit' | 'other';

/** An expression or directive of which a failure speaks. */
export interface Blamed extends Place {
  /** As written in the template. */
  readonly source: string;
}

/** A template that failed on this message. */
export class TemplateFailure extends MillraceError {
  readonly kind: FailureKind;
  readonly line: number;
  readonly column: number;
  readonly expression: string;

  constructor(kind: FailureKind, reason: string, { source, line, column }: Blamed) {
    const expression = source.length > 200 ? `${source.slice(0, 200)}…` : source;
    super({
      code: 'MR_FREEMARKER_FAILURE',
      message: `${reason}: "${expression}" (line ${line}, column ${column} of the template)`,
    });
    this.kind = kind;
    this.line = line;
    this.column = column;
    this.expression = expression;
  }
}
