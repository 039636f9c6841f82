import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic, startTestIdentity } from '../test-identity.ts';

test('scopes of administration go to administrators and what they own, and to nobody else', async () => {
  await using server = await startTestIdentity();
  server.users.add({ name: 'root', password: 'right', roles: ['admin'] });
  server.users.add({ name: 'ada', password: 'right', roles: ['engineers'] });
  const grantTypes = ['password', 'client_credentials'];
  await server.client('of-root', { owner: 'root', grantTypes });
  await server.client('of-ada', { owner: 'ada', grantTypes });
  const scope = 'internal_user_mgt_delete internal_login';
  const granted = async (client: string, form: Readonly<Record<string, string>>): Promise<unknown> => {
    const answer = await server.call('/oauth2/token', { headers: basic(client), form: { ...form, scope } });
    return answer.json()['scope'];
  };
  const asUser = (username: string) => ({ grant_type: 'password', username, password: 'right' });
  assert.equal(await granted('of-ada', asUser('root')), scope);
  assert.equal(await granted('of-root', asUser('ada')), 'internal_login');
  assert.equal(await granted('of-root', { grant_type: 'client_credentials' }), scope);
  assert.equal(await granted('of-ada', { grant_type: 'client_credentials' }), undefined);
});
