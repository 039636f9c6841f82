import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MillraceError } from '#errors';

/** Passwords of the key store that secrets are encrypted with. */
export interface KeyStorePasswords {
  readonly password: string;
  /** Password of the private key when it is another one. */
  readonly keyPassword: string | undefined;
}

export interface PasswordSources {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The passwords in the configuration, when they are written there in plain text. */
  readonly configured?: KeyStorePasswords | undefined;
  /** Asks a person; absent where nobody can be asked. */
  readonly prompt?: ((question: string) => Promise<string>) | undefined;
}

/** Files in the home that hold the passwords: the first is deleted after reading, the second is kept. */
const temporaryFile = 'password-tmp';
const persistentFile = 'password-persist';

/**
 * Finds the key store's passwords: in `MILLRACE_KEYSTORE_PASSWORD` (line 1 the store's, line 2 the key's), in
 * `password-tmp` or `password-persist` of the home, in the configuration, or by asking. Throws a `MillraceError` when
 * none of these has them.
 */
export async function keyStorePasswords(sources: PasswordSources): Promise<KeyStorePasswords> {
  const { env, home, configured, prompt } = sources;
  const text = env['MILLRACE_KEYSTORE_PASSWORD'] ?? readTemporary(home) ?? readIfPresent(join(home, persistentFile));
  if (text !== undefined) return passwordsIn(text);
  if (configured) return configured;
  if (prompt) return { password: await prompt('Key store password: '), keyPassword: undefined };
  throw new MillraceError({
    code: 'MR_CONFIG_NO_PASSWORD',
    message:
      'secrets are encrypted and the key store password is not known: set MILLRACE_KEYSTORE_PASSWORD, ' +
      `write it into ${join(home, persistentFile)}, or start on a terminal`,
  });
}

function passwordsIn(text: string): KeyStorePasswords {
  const [password = '', keyPassword] = text.split(/\r?\n/).map((line) => line.trim());
  return { password, keyPassword: keyPassword === '' ? undefined : keyPassword };
}

/** The passwords that lie in the home for one start; the file is deleted. */
export function readTemporary(home: string): string | undefined {
  const file = join(home, temporaryFile);
  const text = readIfPresent(file);
  if (text !== undefined) rmSync(file);
  return text;
}

function readIfPresent(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
