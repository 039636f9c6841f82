import { MillraceError } from '#errors';

/** A stylesheet that cannot be compiled, or a transformation that failed. */
export class TransformError extends MillraceError {
  constructor(message: string, detail?: string, cause?: unknown) {
    super({
      code: 'MR_XSLT',
      message,
      ...(detail === undefined ? {} : { detail }),
      ...(cause === undefined ? {} : { cause }),
    });
  }
}
