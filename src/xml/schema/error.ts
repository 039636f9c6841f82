import { MillraceError } from '#errors';

/** A schema that cannot be compiled. */
export class SchemaError extends MillraceError {
  constructor(message: string, cause?: unknown) {
    super({ code: 'MR_SCHEMA', message, ...(cause === undefined ? {} : { cause }) });
  }
}
