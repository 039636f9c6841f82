import { defineOperation, jsonResponse, pick, type Operation } from '#rest';
import { anyObject, listOf, optionalText, queryText, refusal, requiredText, searched } from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';
import { directoryOf, qualified } from './users.ts';

/** `/roles` (management 1.7). */
export function roleOperations(runtime: ManagedRuntime): readonly Operation[] {
  return [
    defineOperation({
      id: 'getRoles',
      method: 'GET',
      path: '/roles',
      summary: 'All roles',
      responses: { 200: { description: 'The list under count and list' } },
      scope: 'admin',
      async handle({ query }) {
        const roles = (await directoryOf(runtime).roles()).map((name) => ({ name }));
        return listOf(searched(roles, query).map(({ name }) => ({ role: name })));
      },
    }),
    defineOperation({
      id: 'createRole',
      method: 'POST',
      path: '/roles',
      summary: 'Adds a role',
      body: anyObject,
      responses: { 200: { description: 'The role' } },
      scope: 'admin',
      audited: ({ body }) => ({ action: 'created', type: 'role', info: pick(body, 'role', 'domain') }),
      async handle({ body }) {
        const role = requiredText(body, 'role');
        const name = qualified(optionalText(body, 'domain'), role);
        const directory = directoryOf(runtime);
        if ((await directory.roles()).includes(name)) throw refusal(400, `There is a role "${role}" already`);
        await directory.createRole(name);
        return jsonResponse({ role, status: 'Added' });
      },
    }),
    defineOperation({
      id: 'changeRoles',
      method: 'PUT',
      path: '/roles',
      summary: 'Gives roles to a user and takes roles away',
      body: anyObject,
      responses: { 200: { description: 'It is done' } },
      scope: 'admin',
      audited: ({ body }) => ({
        action: 'updated',
        type: 'user_roles',
        info: pick(body, 'userId', 'domain', 'addedRoles', 'removedRoles'),
      }),
      async handle({ body }) {
        const userId = requiredText(body, 'userId');
        const name = qualified(optionalText(body, 'domain'), userId);
        const directory = directoryOf(runtime);
        if (!(await directory.find(name))) throw refusal(404, `There is no user "${userId}"`);
        await directory.setRoles(name, { add: textsOf(body, 'addedRoles'), remove: textsOf(body, 'removedRoles') });
        return jsonResponse({ userId, status: 'Added/removed the roles' });
      },
    }),
    defineOperation({
      id: 'getRole',
      method: 'GET',
      path: '/roles/{role+}',
      summary: 'A role with its users',
      responses: { 200: { description: 'The role' } },
      scope: 'admin',
      async handle({ path, query }) {
        const role = path['role'] ?? '';
        const users = await directoryOf(runtime).usersOf(qualified(queryText(query, 'domain'), role));
        if (!users) throw refusal(404, `There is no role "${role}"`);
        return { role, users };
      },
    }),
    defineOperation({
      id: 'deleteRole',
      method: 'DELETE',
      path: '/roles/{role+}',
      summary: 'Removes a role; that of administrators stays',
      responses: { 200: { description: 'It is removed' } },
      scope: 'admin',
      audited: ({ path, query }) => ({
        action: 'deleted',
        type: 'role',
        info: { ...pick(path, 'role'), ...pick(query, 'domain') },
      }),
      async handle({ path, query }) {
        const role = path['role'] ?? '';
        const name = qualified(queryText(query, 'domain'), role);
        const directory = directoryOf(runtime);
        if (name === directory.adminRole) throw refusal(403, 'The role of administrators cannot be removed');
        if (!(await directory.roles()).includes(name)) throw refusal(404, `There is no role "${role}"`);
        await directory.deleteRole(name);
        return jsonResponse({ role, status: 'Deleted' });
      },
    }),
  ];
}

function textsOf(body: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  const value = body[name] ?? [];
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (isList) return value;
  throw refusal(400, `The field "${name}" must be a list of texts`);
}
