import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { basic, startTestIdentity, type TestAnswer, type TestIdentity } from '../test-identity.ts';

const home = join(import.meta.dirname, '../../../test/fixtures/identity');

async function withServer(toml: string, use: (server: TestIdentity) => Promise<void>): Promise<void> {
  await using server = await startTestIdentity({ home, toml });
  await use(server);
}

function ask(server: TestIdentity, form: Readonly<Record<string, string>>): Promise<TestAnswer> {
  return server.call('/oauth2/token', { headers: basic('app'), form });
}

test('a grant of one’s own is offered by its name, with its properties', async () => {
  const toml =
    '[[oauth.custom_grant_type]]\nname = "urn:acme:voucher"\ngrant_handler = "./own-grant.ts#ownGrant"\n' +
    'grant_validator = "./own-validator.ts#ownValidator"\n[oauth.custom_grant_type.properties]\nwho = "grace"\n';
  await withServer(toml, async (server) => {
    await server.client('app', { grantTypes: ['urn:acme:voucher', 'refresh_token'] });
    const form = { grant_type: 'urn:acme:voucher', voucher: '1' };
    const answer = await ask(server, { ...form, scope: 'orders' });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(answer.json()).sort(), [
      'access_token',
      'expires_in',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    const row = await server.database.get('SELECT subject_id FROM mr_token');
    assert.equal(row?.['subject_id'], 'grace');
    const refused = await ask(server, { ...form, who: 'nobody' });
    assert.deepEqual(refused.json(), { error: 'invalid_grant', error_description: 'nobody gets a token' });
    assert.equal((await ask(server, { grant_type: 'urn:acme:voucher' })).json()['error'], 'invalid_request');
    assert.equal((await ask(server, { ...form, password: 'x' })).json()['error'], 'invalid_request');
    const metadata = (await server.call('/oauth2/token/.well-known/openid-configuration')).json();
    assert.ok((metadata['grant_types_supported'] as string[]).includes('urn:acme:voucher'));
  });
});

test('a class of the map stands for its module; one that nobody knows is not offered', async () => {
  const toml =
    '[[oauth.custom_grant_type]]\nname = "mapped"\ngrant_handler = "com.acme.Mapped"\n' +
    '[[oauth.custom_grant_type]]\nname = "unknown"\ngrant_handler = "com.acme.Unknown"\n' +
    '[[oauth.custom_grant_type]]\nname = "missing"\ngrant_handler = "./nothing.ts"\n' +
    '[[oauth.custom_grant_type]]\nname = "wrong"\ngrant_handler = "./own-validator.ts#ownValidator"\n' +
    '[millrace.class_map]\n"com.acme.Mapped" = "./own-grant.ts#ownGrant"\n';
  await withServer(toml, async (server) => {
    await server.client('app', { grantTypes: ['mapped', 'unknown', 'missing', 'wrong'] });
    assert.equal((await ask(server, { grant_type: 'mapped' })).status, 200);
    for (const name of ['unknown', 'missing', 'wrong']) {
      assert.equal((await ask(server, { grant_type: name })).json()['error'], 'unsupported_grant_type');
    }
  });
});

test('iwa:ntlm says precisely what is missing', async (context) => {
  await withServer('', async (server) => {
    await server.client('app', { grantTypes: ['iwa:ntlm'] });
    const rows: readonly (readonly [name: string, token: string | undefined, description: RegExp])[] = [
      ['no token', undefined, /^NTLM token is null$/],
      ['NTLM', Buffer.from('NTLMSSP\0\u0001\0\0\0').toString('base64'), /has to negotiate Kerberos/],
      ['NTLM within SPNEGO', Buffer.from('`abcNTLMSSP\0').toString('base64'), /has to negotiate Kerberos/],
      ['something else', Buffer.from('hello').toString('base64'), /neither NTLM nor Kerberos/],
      ['a ticket, and no provider', Buffer.from('`abc').toString('base64'), /No identity provider/],
    ];
    for (const [name, token, description] of rows) {
      await context.test(name, async () => {
        const form = { grant_type: 'iwa:ntlm', ...(token !== undefined && { windows_token: token }) };
        const answer = (await ask(server, form)).json();
        assert.equal(answer['error'], 'invalid_grant');
        assert.match(String(answer['error_description']), description);
      });
    }
  });
});

test('kerberos is off until it is switched on, and names what is missing', async () => {
  const form = { grant_type: 'kerberos', kerberos_token: 'YA==', kerberos_realm: 'realm' };
  await withServer('', async (server) => {
    await server.client('app', { grantTypes: ['kerberos'] });
    assert.equal((await ask(server, form)).json()['error'], 'unsupported_grant_type');
  });
  await withServer('[oauth.grant_type.kerberos]\nenable = true', async (server) => {
    await server.client('app', { grantTypes: ['kerberos'] });
    assert.match(
      String((await ask(server, form)).json()['error_description']),
      /kerberos_realm is no identity provider/,
    );
    assert.equal((await ask(server, { grant_type: 'kerberos' })).json()['error'], 'invalid_request');
  });
});

test('client_credentials gives refresh and ID tokens where that is allowed, and never to public clients', async () => {
  const toml =
    '[oauth.grant_type.client_credentials]\nallow_refresh_tokens = true\nallow_id_token = true\nallow_public_client = true\n';
  await withServer(toml, async (server) => {
    await server.client('app', { grantTypes: ['client_credentials', 'refresh_token'] });
    await server.client('open', { grantTypes: ['client_credentials'], isPublic: true });
    const answer = (await ask(server, { grant_type: 'client_credentials', scope: 'openid' })).json();
    assert.equal(typeof answer['refresh_token'], 'string');
    assert.equal(typeof answer['id_token'], 'string');
    const open = await server.call('/oauth2/token', { form: { grant_type: 'client_credentials', client_id: 'open' } });
    assert.equal(open.json()['error'], 'unauthorized_client');
  });
});
