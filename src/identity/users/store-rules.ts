import { compileJavaRegex, type JavaRegex } from '#core/java';
import { userStoreProperties, type Config } from '#config';

/** Rules and options of a store (identity 5.2). */
export interface StoreRules {
  readonly usernamePattern: JavaRegex;
  readonly usernameMessage: string;
  readonly passwordPattern: JavaRegex;
  readonly passwordMessage: string;
  readonly isCaseInsensitive: boolean;
  /** Most users that a listing gives; 0 for no limit. */
  readonly maxListLength: number;
}

/** What names and passwords look like where the file says nothing (identity 5.2). */
const defaults = { username: '^[\\S]{3,30}$', password: '^[\\S]{5,30}$' } as const;

/** Reads the rules of the first store. The document's patterns are those of directories and count where they stand. */
export function readStoreRules(config: Config): StoreRules {
  const { usernameJavaRegEx, passwordJavaRegEx, maxUserNameListLength } = userStoreProperties;
  const username = config.has(usernameJavaRegEx) ? config.get(usernameJavaRegEx) : defaults.username;
  const password = config.has(passwordJavaRegEx) ? config.get(passwordJavaRegEx) : defaults.password;
  return {
    usernamePattern: compileJavaRegex(username),
    usernameMessage: `The user name does not match ${username}`,
    passwordPattern: compileJavaRegex(password),
    passwordMessage: `The password does not match ${password}`,
    isCaseInsensitive: true,
    maxListLength: config.get(maxUserNameListLength),
  };
}
