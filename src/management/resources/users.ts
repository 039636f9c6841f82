import { defineOperation, jsonResponse, pick, type Operation } from '#rest';
import {
  anyObject,
  bareRefusal,
  listOf,
  optionalText,
  queryText,
  refusal,
  requiredText,
  searched,
} from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';
import type { UserDirectory } from '../user-directory.ts';

/** `/users` (management 1.3, 1.7). Accounts that the configuration file holds are not managed here. */
export function userOperations(runtime: ManagedRuntime): readonly Operation[] {
  const directory = (): UserDirectory => directoryOf(runtime);
  return [
    defineOperation({
      id: 'getUsers',
      method: 'GET',
      path: '/users',
      summary: 'Users whose names fit pattern, of a role if it is given',
      responses: { 200: { description: 'The list under count and list' } },
      scope: 'admin',
      async handle({ query }) {
        const names = await directory().list(queryText(query, 'pattern') ?? '*', queryText(query, 'role'));
        return listOf(
          searched(
            names.map((name) => ({ name })),
            query,
          ).map(({ name }) => ({ userId: name })),
        );
      },
    }),
    defineOperation({
      id: 'createUser',
      method: 'POST',
      path: '/users',
      summary: 'Adds a user',
      body: anyObject,
      responses: { 200: { description: 'The user' }, 400: { description: 'What is wrong with it' } },
      scope: 'admin',
      audited: ({ body }) => ({ action: 'created', type: 'user', info: pick(body, 'userId', 'domain', 'isAdmin') }),
      async handle({ body }) {
        const userId = optionalText(body, 'userId') ?? '';
        if (userId === '' || userId.includes(':')) {
          throw refusal(400, `"userId" must be a name without colons; found "${userId}"`);
        }
        const name = qualified(optionalText(body, 'domain'), userId);
        if (await directory().find(name)) throw refusal(400, `There is a user "${userId}" already`);
        const isAdmin = String(body['isAdmin']) === 'true';
        await directory().create({ name, password: requiredText(body, 'password'), isAdmin });
        return jsonResponse({ userId, status: 'Added' });
      },
    }),
    defineOperation({
      id: 'getUser',
      method: 'GET',
      path: '/users/{userId}',
      summary: 'A user with roles',
      responses: { 200: { description: 'The user' } },
      scope: 'admin',
      async handle({ path, query }) {
        const found = await directory().find(qualified(queryText(query, 'domain'), path['userId'] ?? ''));
        if (!found) throw refusal(404, `There is no user "${path['userId'] ?? ''}"`);
        return found;
      },
    }),
    defineOperation({
      id: 'changeUser',
      method: 'PATCH',
      path: '/users/{userId}',
      summary: 'Changes a password',
      body: anyObject,
      responses: { 200: { description: 'It is changed' } },
      scope: 'self',
      audited: ({ path, query }) => ({
        action: 'updated',
        type: 'user',
        info: { ...pick(path, 'userId'), ...pick(query, 'domain'), changed: 'password' },
      }),
      async handle({ path, query, body, principal }) {
        const name = qualified(queryText(query, 'domain'), path['userId'] ?? '');
        await changePassword(directory(), { name, body, caller: principal?.name ?? '' });
        return jsonResponse({ userId: path['userId'] ?? '', status: 'Password updated' });
      },
    }),
    defineOperation({
      id: 'deleteUser',
      method: 'DELETE',
      path: '/users/{userId}',
      summary: 'Removes a user; nobody removes the own account',
      responses: { 200: { description: 'It is removed' } },
      scope: 'admin',
      audited: ({ path, query }) => ({
        action: 'deleted',
        type: 'user',
        info: { ...pick(path, 'userId'), ...pick(query, 'domain') },
      }),
      async handle({ path, query, principal }) {
        const userId = path['userId'] ?? '';
        const name = qualified(queryText(query, 'domain'), userId);
        const found = await directory().find(name);
        if (!found) throw refusal(404, `There is no user "${userId}"`);
        if (principal?.name === name) throw refusal(403, 'Nobody removes the own account');
        if (found.isAdmin && principal?.name !== directory().superAdmin) {
          throw refusal(403, 'Only the first administrator removes administrators');
        }
        await directory().delete(name);
        return jsonResponse({ userId, status: 'Deleted' });
      },
    }),
  ];
}

interface PasswordChange {
  readonly name: string;
  readonly caller: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The own password needs the old one; the first administrator changes any, others those of plain users. */
async function changePassword(directory: UserDirectory, { name, caller, body }: PasswordChange): Promise<void> {
  const wanted = requiredText(body, 'newPassword');
  if (wanted !== requiredText(body, 'confirmPassword')) throw refusal(500, 'The two new passwords differ');
  const found = await directory.find(name);
  if (!found) throw refusal(404, `There is no user "${name}"`);
  if (caller === name) {
    if (!(await directory.checkPassword(name, requiredText(body, 'oldPassword')))) {
      throw refusal(500, 'The old password is wrong');
    }
  } else if (caller !== directory.superAdmin) {
    const own = await directory.find(caller);
    if (!own?.isAdmin) throw bareRefusal(403, 'Only administrators change the passwords of others');
    if (found.isAdmin) throw refusal(500, 'Only the first administrator changes the passwords of administrators');
  }
  await directory.setPassword(name, wanted);
}

/** @throws MillraceError 403 where the accounts are not those of a user store */
export function directoryOf({ users }: ManagedRuntime): UserDirectory {
  if (users) return users;
  throw refusal(403, 'Users are not managed here: the accounts are those of the configuration file');
}

export function qualified(domain: string | undefined, name: string): string {
  return domain === undefined || domain.toUpperCase() === 'PRIMARY' ? name : `${domain}/${name}`;
}
