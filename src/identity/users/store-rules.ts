import { compileJavaRegex, type JavaRegex } from '#core/java';
import { MillraceError } from '#errors';
import { flagOf, numberOf, textOf, type StoreProperties } from './store-properties.ts';

/** Rules and options that every kind of store has (identity 5.2). */
export interface StoreRules {
  readonly usernamePattern: JavaRegex;
  readonly usernameMessage: string;
  readonly passwordPattern: JavaRegex;
  readonly passwordMessage: string;
  readonly rolenamePattern: JavaRegex;
  readonly rolenameMessage: string;
  readonly isCaseInsensitive: boolean;
  /** Most users that a listing gives; 0 for no limit. */
  readonly maxListLength: number;
  /** The same for groups. */
  readonly maxGroupListLength: number;
  /** Joins the values of a claim that has several. */
  readonly separator: string;
  readonly isScimEnabled: boolean;
  /** Whether many users may be made at once. */
  readonly takesImports: boolean;
  /** Whether no two tenants may have users of the same name. */
  readonly isUniqueOverTenants: boolean;
  /** What forms ask of a user name; undefined where nothing is written. */
  readonly usernameForm: RegExp | undefined;
  /** The same for new passwords. */
  readonly passwordForm: RegExp | undefined;
}

/** What names and passwords look like where nothing is said (identity 5.2). */
const defaults = { username: '^[\\S]{3,30}$', password: '^[\\S]{5,30}$' } as const;

/**
 * Reads the rules of a store. The document's patterns are those of directories and count where they stand.
 *
 * @throws MillraceError `MR_STORE_PROPERTY` for a pattern that is none
 */
export function readStoreRules(
  properties: StoreProperties,
  kind: { readonly isDirectory: boolean } = { isDirectory: false },
): StoreRules {
  const username = textOf(properties, 'UsernameJavaRegEx') ?? defaults.username;
  const password = textOf(properties, 'PasswordJavaRegEx') ?? defaults.password;
  const rolename = textOf(properties, 'RolenameJavaRegEx') ?? defaults.username;
  const message = (name: string, otherwise: string): string =>
    textOf(properties, `${name}JavaRegExViolationErrorMsg`) ?? otherwise;
  return {
    usernamePattern: patternOf('UsernameJavaRegEx', username),
    usernameMessage: message('Username', `The user name does not match ${username}`),
    passwordPattern: patternOf('PasswordJavaRegEx', password),
    passwordMessage: message('Password', `The password does not match ${password}`),
    rolenamePattern: patternOf('RolenameJavaRegEx', rolename),
    rolenameMessage: message('Rolename', `The role name does not match ${rolename}`),
    isCaseInsensitive: flagOf(properties, 'CaseInsensitiveUsername', true),
    maxListLength: numberOf(properties, 'MaxUserNameListLength', 100),
    maxGroupListLength: numberOf(properties, 'MaxRoleNameListLength', 100),
    separator: properties.get('MultiAttributeSeparator') ?? ',',
    isScimEnabled: flagOf(properties, 'SCIMEnabled', !kind.isDirectory),
    takesImports: flagOf(properties, 'IsBulkImportSupported', flagOf(properties, 'BulkImportSupported', true)),
    isUniqueOverTenants: flagOf(properties, 'UserNameUniqueAcrossTenants', false),
    usernameForm: formPatternOf(properties, 'UsernameJavaScriptRegEx'),
    passwordForm: formPatternOf(properties, 'PasswordJavaScriptRegEx'),
  };
}

/** @throws MillraceError `MR_USER_NAME` */
export function checkName(name: string, { usernamePattern, usernameMessage }: StoreRules): void {
  if (usernamePattern.matches(name)) return;
  throw new MillraceError({ code: 'MR_USER_NAME', status: 400, message: usernameMessage });
}

/** @throws MillraceError `MR_USER_PASSWORD` */
export function checkPassword(password: string, { passwordPattern, passwordMessage }: StoreRules): void {
  if (passwordPattern.matches(password)) return;
  throw new MillraceError({ code: 'MR_USER_PASSWORD', status: 400, message: passwordMessage });
}

/** @throws MillraceError `MR_ROLE_NAME` */
export function checkRoleName(name: string, { rolenamePattern, rolenameMessage }: StoreRules): void {
  if (rolenamePattern.matches(name)) return;
  throw new MillraceError({ code: 'MR_ROLE_NAME', status: 400, message: rolenameMessage });
}

function patternOf(property: string, pattern: string): JavaRegex {
  try {
    return compileJavaRegex(pattern);
  } catch (cause) {
    const message = `${property}: expected a regular expression of Java, found ${pattern}`;
    throw new MillraceError({ code: 'MR_STORE_PROPERTY', status: 400, message, cause });
  }
}

/** A pattern of scripts, which match anywhere unless the pattern has anchors. */
function formPatternOf(properties: StoreProperties, property: string): RegExp | undefined {
  const pattern = textOf(properties, property);
  if (pattern === undefined) return undefined;
  try {
    return new RegExp(pattern);
  } catch (cause) {
    const message = `${property}: expected a regular expression of JavaScript, found ${pattern}`;
    throw new MillraceError({ code: 'MR_STORE_PROPERTY', status: 400, message, cause });
  }
}
