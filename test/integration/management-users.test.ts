import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { configureLog } from '#core';
import { ask } from '../effects/effect-server.ts';
import { freePorts, startTemporaryServer, type TemporaryServer } from '../helpers/temporary-server.ts';

let server: TemporaryServer;

before(async () => {
  configureLog({ level: 'silent', format: 'json' });
  server = await startTemporaryServer({}, `${freePorts}[super_admin]\nusername = "boss"\npassword = "Boss-1234"\n`);
});

after(() => server[Symbol.asyncDispose]());

async function call(
  request: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const [method = 'GET', path = ''] = request.split(' ');
  const answer = await ask(`${server.url('Management')}/management${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  assert.ok(typeof answer !== 'string', request);
  return { status: answer.status, body: answer.body === '' ? undefined : (JSON.parse(answer.body) as unknown) };
}

async function signIn(name: string, password: string): Promise<Record<string, string>> {
  const credentials = Buffer.from(`${name}:${password}`).toString('base64');
  const { status, body } = await call('GET /login', { Authorization: `Basic ${credentials}` });
  return { Authorization: status === 200 ? `Bearer ${(body as { AccessToken: string }).AccessToken}` : 'none' };
}

test('users and roles of the server are managed where the configuration holds no accounts', async () => {
  const boss = await signIn('boss', 'Boss-1234');
  const add = (userId: string): Promise<{ status: number; body: unknown }> =>
    call('POST /users', boss, { userId, password: 'Pass-1234' });
  assert.deepEqual(await add('ann'), { status: 200, body: { userId: 'ann', status: 'Added' } });
  assert.deepEqual([(await add('ann')).status, (await add('a:b')).status], [400, 400]);
  assert.deepEqual(await call('POST /roles', boss, { role: 'readers' }), {
    status: 200,
    body: { role: 'readers', status: 'Added' },
  });
  const given = await call('PUT /roles', boss, { userId: 'ann', addedRoles: ['readers'], removedRoles: [] });
  assert.equal(given.status, 200);
  assert.deepEqual((await call('GET /roles/readers', boss)).body, { role: 'readers', users: ['ann'] });
  assert.deepEqual((await call('GET /users?pattern=a*', boss)).body, { count: 1, list: [{ userId: 'ann' }] });
  const { isAdmin, roles } = (await call('GET /users/ann', boss)).body as { isAdmin: boolean; roles: string[] };
  assert.deepEqual([isAdmin, roles.includes('readers')], [false, true]);

  const ann = await signIn('ann', 'Pass-1234');
  assert.deepEqual([(await call('GET /apis', ann)).status, (await call('GET /users', ann)).status], [200, 403]);
  const change = (oldPassword: string): Promise<{ status: number }> =>
    call('PATCH /users/ann', ann, { newPassword: 'Next-1234', confirmPassword: 'Next-1234', oldPassword });
  assert.deepEqual([(await change('wrong')).status, (await change('Pass-1234')).status], [500, 200]);
  assert.notEqual((await signIn('ann', 'Next-1234')).Authorization, 'none');
  const others = { newPassword: 'X-12345678', confirmPassword: 'X-12345678' };
  assert.equal((await call('PATCH /users/boss', ann, others)).status, 403);

  assert.equal((await call('DELETE /users/boss', boss)).status, 403);
  assert.equal((await call('DELETE /roles/admin', boss)).status, 403);
  assert.deepEqual(await call('DELETE /users/ann', boss), { status: 200, body: { userId: 'ann', status: 'Deleted' } });
  assert.equal((await call('GET /users/ann', boss)).status, 404);
  assert.equal((await call('DELETE /roles/readers', boss)).status, 200);
});
