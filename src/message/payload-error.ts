import { MillraceError, messageOf, synapseCodes } from '#errors';

/** The body of a message could not be read as what its Content-Type says, or not be written as asked. */
export class PayloadError extends MillraceError {}

/** Malformed payloads are error 601000 in the original, whichever parser refused them. */
export function payloadFailure(error: unknown): PayloadError {
  if (error instanceof PayloadError) return error;
  return new PayloadError({
    code: synapseCodes.parsing,
    status: error instanceof MillraceError && error.status === 413 ? 413 : 400,
    message: `Error while building the message: ${messageOf(error)}`,
    cause: error,
  });
}

/** Does what reads or makes a form of a body. @throws PayloadError for whatever it throws */
export function parsing<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw payloadFailure(error);
  }
}
