import { MillraceError, formatPosition } from '#errors';
import { localDialect } from '../claims/local-claims.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { parseCsv, type CsvLine } from './csv.ts';
import type { UserGround } from './ground.ts';
import type { NewUser } from './users.ts';

/** What became of one line of a file of users. */
export interface ImportedUser {
  readonly name: string;
  readonly line: number;
  /** Why the user was not made; undefined when it was. */
  readonly problem: string | undefined;
}

/** The claim whose values are roles, divided by `;`. */
const roleClaim = `${localDialect}role`;

/**
 * Reads a file of users as the original imports it: a first line of headings, then on every line the name, the password
 * and any number of `CLAIM=VALUE` (identity 5.2, `IsBulkImportSupported`).
 *
 * @throws MillraceError `MR_USER_IMPORT` with file and line
 */
export function readImport(text: string, file: string): readonly (NewUser & { readonly line: number })[] {
  const [, ...lines] = parseCsv(text, file);
  return lines.map((line) => ({ ...userOf(line, file), line: line.line }));
}

function userOf({ values: [name = '', password = '', ...rest], line }: CsvLine, file: string): NewUser {
  const wrong = (message: string): MillraceError =>
    new MillraceError({
      code: 'MR_USER_IMPORT',
      status: 400,
      message: `${formatPosition({ file, line, column: 1 })}: ${message}`,
    });
  if (name === '' || password === '') throw wrong('expected a user name and a password');
  const claims = new Map<string, string>();
  for (const given of rest.filter((each) => each !== '')) {
    const equals = given.indexOf('=');
    if (equals < 1) throw wrong(`expected CLAIM=VALUE, found "${given}"`);
    claims.set(given.slice(0, equals).trim(), given.slice(equals + 1).trim());
  }
  const roles = (claims.get(roleClaim) ?? '').split(';').flatMap((role) => role.trim() || []);
  claims.delete(roleClaim);
  return { name, password, roles, claims };
}

/** The store that a new user of this name is made in. @throws MillraceError `MR_STORE_NO_IMPORT` when it takes no imports */
export async function checkImport({ stores }: Pick<UserGround, 'stores'>, tenant: Tenant, name: string): Promise<void> {
  const all = await stores.of(tenant);
  const slash = name.indexOf('/');
  const domain = slash < 0 ? undefined : name.slice(0, slash).toUpperCase();
  const store = all.find((each) => each.domain === domain) ?? all[0];
  if (!store || store.rules.takesImports) return;
  const message = `The user store ${store.domain} takes no imports: IsBulkImportSupported is false`;
  throw new MillraceError({ code: 'MR_STORE_NO_IMPORT', status: 400, message });
}

/** Makes the users of a file one after the other; one that cannot be made keeps no other from being made. */
export async function importUsers(
  ground: Pick<UserGround, 'stores' | 'users'>,
  tenant: Tenant,
  wanted: readonly (NewUser & { readonly line: number })[],
): Promise<readonly ImportedUser[]> {
  for (const { name } of wanted) await checkImport(ground, tenant, name);
  const done: ImportedUser[] = [];
  for (const { line, ...user } of wanted) {
    let problem: string | undefined;
    try {
      await ground.users.create(tenant, user);
    } catch (error) {
      if (!(error instanceof MillraceError) || error.status >= 500) throw error;
      problem = error.message;
    }
    done.push({ name: user.name, line, problem });
  }
  return done;
}
