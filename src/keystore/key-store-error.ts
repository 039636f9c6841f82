import { MillraceError } from '#errors';

/** What can be wrong with a key store, and the code under which it is reported. */
const codes = {
  unknownFormat: 'MR_KEYSTORE_UNKNOWN_FORMAT',
  malformed: 'MR_KEYSTORE_MALFORMED',
  wrongPassword: 'MR_KEYSTORE_WRONG_PASSWORD',
  wrongKeyPassword: 'MR_KEYSTORE_WRONG_KEY_PASSWORD',
  unsupported: 'MR_KEYSTORE_UNSUPPORTED',
  unreadable: 'MR_KEYSTORE_UNREADABLE',
  aliasMissing: 'MR_KEYSTORE_ALIAS_MISSING',
} as const;

export type KeyStoreFailure = keyof typeof codes;

/** The error for one way in which a key store cannot be used; never carries a password. */
export function keyStoreError(failure: KeyStoreFailure, message: string, cause?: unknown): MillraceError {
  return new MillraceError({ code: codes[failure], message, ...(cause === undefined ? {} : { cause }) });
}

/** The same error with the file named in front. */
export function withFile(error: MillraceError, file: string): MillraceError {
  return new MillraceError({ code: error.code, message: `${file}: ${error.message}`, cause: error });
}
