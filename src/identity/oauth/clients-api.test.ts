import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestGround, type TestGround } from '../test-ground.ts';
import { superTenant } from '../tenants/tenant.ts';

const path = '/api/server/v1/clients';
const tokensPath = '/api/server/v1/tokens';

async function withTenant(ground: TestGround): Promise<string> {
  const facts = { domain: 'acme.com', adminName: 'boss', adminPassword: 'boss-password', email: 'b@acme.com' };
  await ground.administration.tenants.create(facts);
  return 'boss@acme.com:boss-password';
}

async function issue(ground: TestGround, id: string): Promise<string> {
  const { administration } = ground;
  const client = await administration.clients.find(superTenant, id);
  assert.ok(client);
  return (await administration.issueFor(client, ['default'])).accessToken;
}

test('administrators make, change, stop and remove clients, and see a secret only when it is made', async () => {
  await using ground = await startTestGround();
  const body = { client_name: 'shop', grant_types: ['client_credentials'], ext_user_token_lifetime: 60 };
  const made = await ground.call(`POST ${path}`, body);
  assert.equal(made.status, 201, made.text);
  const { client_id: id, client_secret: secret, active, ext_application_owner: owner } = made.json;
  assert.match(String(secret), /^\w{28}$/);
  assert.deepEqual([active, owner], [true, 'admin']);
  const one = `${path}/${String(id)}`;
  const seen = await ground.call(`GET ${one}`);
  assert.equal(seen.json['client_secret'], undefined);
  assert.equal(((await ground.call(`GET ${path}`)).json['clients'] as readonly unknown[]).length, 1);
  const changed = await ground.call(`PUT ${one}`, { ...body, client_name: 'store' });
  assert.equal(changed.json['client_name'], 'store', changed.text);
  const { clients } = ground.administration;
  const kept = await clients.find(superTenant, String(id));
  assert.ok(kept && (await clients.hasSecret(kept, String(secret))), 'the secret stays');
  const other = (await ground.call(`POST ${one}/secret`)).json['client_secret'];
  assert.ok(await clients.hasSecret(kept, String(other)));
  assert.equal(await clients.hasSecret(kept, String(secret)), false);
  const token = await issue(ground, String(id));
  assert.equal((await ground.call(`POST ${one}/deactivate`)).json['active'], false);
  assert.equal(await ground.administration.tokens.findAccess(token), undefined);
  assert.equal((await ground.call(`POST ${one}/activate`)).json['active'], true);
  assert.equal((await ground.call(`DELETE ${one}`)).status, 204);
  assert.equal((await ground.call(`GET ${one}`)).status, 404);
});

test('a change of metadata leaves what they do not say', async () => {
  await using ground = await startTestGround();
  const body = { client_name: 'shop', grant_types: ['client_credentials'] };
  const id = String((await ground.call(`POST ${path}`, body)).json['client_id']);
  const { clients } = ground.administration;
  const client = await clients.find(superTenant, id);
  assert.ok(client);
  await clients.update({ ...client, isActive: false, isSaas: true });
  await ground.call(`PUT ${path}/${id}`, body);
  const { isActive, isSaas } = (await clients.find(superTenant, id)) ?? {};
  assert.deepEqual([isActive, isSaas], [false, true]);
});

const settings = {
  saas_application: true,
  skip_login_consent: true,
  skip_logout_consent: true,
  renew_refresh_token: false,
  audiences: ['https://api.example'],
  claims: ['email'],
  scope_validators: ['Role based scope validator'],
};

test('settings are given, shown, kept by a change that does not name them, and changed', async () => {
  await using ground = await startTestGround();
  const body = { client_name: 'shop', grant_types: ['client_credentials'] };
  const plain = (await ground.call(`POST ${path}`, { ...body, client_name: 'plain' })).json;
  const { saas_application: saas, renew_refresh_token: renews, audiences } = plain;
  assert.deepEqual([saas, renews, audiences], [false, null, []]);
  const made = await ground.call(`POST ${path}`, { ...body, ...settings });
  assert.equal(made.status, 201, made.text);
  const id = String(made.json['client_id']);
  const { clients } = ground.administration;
  const kept = await clients.find(superTenant, id);
  assert.ok(kept);
  const { isSaas, skipsConsent, skipsLogoutConsent, renewsRefreshToken, claims, scopeValidators } = kept;
  assert.deepEqual([isSaas, skipsConsent, skipsLogoutConsent, renewsRefreshToken], [true, true, true, false]);
  assert.deepEqual(
    [kept.audiences, claims, scopeValidators],
    [['https://api.example'], ['email'], settings.scope_validators],
  );
  assert.deepEqual(kept.metadata, body, 'metadata are what registration takes');
  const renamed = await ground.call(`PUT ${path}/${id}`, { ...body, client_name: 'store' });
  for (const [name, value] of Object.entries(settings)) assert.deepEqual(renamed.json[name], value, name);
  const change = { ...body, skip_login_consent: false, renew_refresh_token: null, audiences: [] };
  const changed = (await ground.call(`PUT ${path}/${id}`, change)).json;
  assert.deepEqual([changed['skip_login_consent'], changed['renew_refresh_token']], [false, null]);
  assert.deepEqual([changed['audiences'], changed['saas_application']], [[], true]);
});

test('settings of another shape, and validators that are not there, are refused by name', async () => {
  await using ground = await startTestGround();
  const body = { client_name: 'shop', grant_types: ['client_credentials'] };
  for (const wrong of [{ skip_login_consent: 'yes' }, { audiences: 'https://api.example' }, { claims: [1] }]) {
    const refused = await ground.call(`POST ${path}`, { ...body, ...wrong });
    assert.equal(refused.status, 400);
    assert.match(refused.text, new RegExp(Object.keys(wrong)[0] ?? ''));
  }
  const refused = await ground.call(`POST ${path}`, { ...body, scope_validators: ['./any.ts'] });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /scope_validators.*class_map/);
});

test('what is no client is refused, and so is a second one of the same name', async () => {
  await using ground = await startTestGround();
  const body = { client_name: 'shop', grant_types: ['client_credentials'] };
  assert.equal((await ground.call(`POST ${path}`, body)).status, 201);
  assert.equal((await ground.call(`POST ${path}`, body)).status, 409);
  const wrong = await ground.call(`POST ${path}`, { ...body, client_name: 'b', grant_types: ['magic'] });
  assert.equal(wrong.status, 400);
  assert.match(wrong.text, /magic/);
});

test('tokens are listed without their values and end one by one', async () => {
  await using ground = await startTestGround();
  for (const name of ['one', 'two']) {
    const facts = {
      client_name: name,
      ext_param_client_id: `client_number_${name}`,
      grant_types: ['client_credentials'],
    };
    assert.equal((await ground.call(`POST ${path}`, facts)).status, 201);
  }
  const first = await issue(ground, 'client_number_one');
  const second = await issue(ground, 'client_number_two');
  const answer = await ground.call(`GET ${tokensPath}?client=client_number_one`);
  const tokens = answer.json['tokens'] as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual(
    tokens.map((token) => [token['client_id'], token['type'], token['scope']]),
    [['client_number_one', 'application', 'default']],
  );
  assert.equal(answer.text.includes(first), false);
  const id = String(tokens[0]?.['id']);
  assert.equal((await ground.call(`DELETE ${tokensPath}/${id}`)).status, 204);
  assert.equal((await ground.call(`DELETE ${tokensPath}/${id}`)).status, 404);
  assert.equal(await ground.administration.tokens.findAccess(first), undefined);
  assert.equal((await ground.call(`POST ${tokensPath}/revoke`, { token: second })).status, 204);
  assert.equal(await ground.administration.tokens.findAccess(second), undefined);
  assert.equal((await ground.call(`GET ${tokensPath}`)).status, 400);
  assert.equal((await ground.call(`GET ${tokensPath}?user=nobody`)).status, 404);
  assert.deepEqual((await ground.call(`GET ${tokensPath}?user=admin`)).json, { tokens: [] });
});

test('nobody reaches the clients and tokens of another tenant, nor comes without credentials', async () => {
  await using ground = await startTestGround();
  const boss = await withTenant(ground);
  const facts = { client_name: 'one', ext_param_client_id: 'client_number_one', grant_types: ['client_credentials'] };
  await ground.call(`POST ${path}`, facts);
  const token = await issue(ground, 'client_number_one');
  const theirs = (line: string, body?: unknown): Promise<{ readonly status: number }> => ground.call(line, body, boss);
  assert.equal((await theirs(`GET /t/acme.com${path}/client_number_one`)).status, 404);
  assert.equal((await theirs(`DELETE /t/acme.com${path}/client_number_one`)).status, 404);
  assert.equal((await theirs(`POST /t/acme.com${tokensPath}/revoke`, { token })).status, 404);
  assert.deepEqual((await ground.call(`GET /t/acme.com${tokensPath}?client=client_number_one`, undefined, boss)).json, {
    tokens: [],
  });
  assert.equal((await theirs(`GET ${path}`)).status, 403);
  assert.equal((await ground.call(`GET ${path}`, undefined, '')).status, 401);
  await ground.administration.users.create(superTenant, { name: 'ada', password: 'long-enough' });
  assert.equal((await ground.call(`GET ${path}`, undefined, 'ada:long-enough')).status, 403);
  assert.ok(await ground.administration.tokens.findAccess(token));
});

test('both APIs describe themselves', async () => {
  await using ground = await startTestGround();
  const pathsOf = async (base: string): Promise<readonly string[]> =>
    Object.keys((await ground.call(`GET ${base}/openapi.json`, undefined, '')).json['paths'] as object);
  assert.equal((await pathsOf(path)).length, 5);
  const document = (await ground.call(`GET ${path}/openapi.json`, undefined, '')).text;
  for (const name of Object.keys(settings)) assert.match(document, new RegExp(`"${name}"`), name);
  assert.deepEqual(await pathsOf(tokensPath), [tokensPath, `${tokensPath}/{id}`, `${tokensPath}/revoke`]);
});
