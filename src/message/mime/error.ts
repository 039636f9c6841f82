import { MillraceError } from '#errors';

/** A multipart body that is malformed (400) or beyond the limits (413). */
export class MultipartError extends MillraceError {
  constructor(message: string, status: 400 | 413 = 400) {
    super({ code: 'MR_MULTIPART', status, message: `Malformed multipart body: ${message}` });
  }
}
