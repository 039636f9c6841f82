import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, before, describe, test } from 'node:test';
import { createTestClock, systemClock, type Clock } from '#core';
import { openKerberos } from '../../src/identity/providers/kerberos.ts';
import { basic, startTestIdentity } from '../../src/identity/test-identity.ts';
import { krb5Missing, realm, service, servicePassword, startKrb5, type Krb5Peer } from '../peers/krb5.ts';

/** Remembers in memory what came. */
function createUsed() {
  const seen = new Set<string>();
  return {
    async use({ issuer, id }: { readonly issuer: string; readonly id: string }) {
      const key = `${issuer} ${id}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    },
  };
}

const providerFile = `<IdentityProvider><IdentityProviderName>desk</IdentityProviderName>
  <FederatedAuthenticatorConfigs><IWAKerberosAuthenticator><Name>IWAKerberosAuthenticator</Name><Properties>
    <Property><Name>SPNName</Name><Value>${service}</Value></Property>
  </Properties></IWAKerberosAuthenticator></FederatedAuthenticatorConfigs></IdentityProvider>`;

const ours = { principal: service, password: undefined, storeDomains: [] };

describe('tickets of a real realm', { skip: krb5Missing }, () => {
  let peer: Krb5Peer;
  before(async () => {
    peer = await startKrb5();
    await peer.addUser('ada');
    await peer.addUser('bob/admin');
    await peer.rekey('aes256-cts');
  });
  after(() => peer?.[Symbol.asyncDispose]());

  const accept = (clock: Clock = systemClock, keytab = peer.keytab) =>
    openKerberos({ clock, used: createUsed(), keytab, skew: 300_000 });

  for (const type of ['aes128-cts', 'aes256-cts', 'aes128-sha2', 'aes256-sha2']) {
    test(`a ticket encrypted with ${type} names its user`, async () => {
      await peer.rekey(type);
      assert.equal(await accept()(await peer.negotiate('ada'), ours), `ada@${realm}`);
      const byPassword = accept(systemClock, join(tmpdir(), 'no-keytab'));
      const withPassword = { ...ours, password: servicePassword };
      assert.equal(await byPassword(await peer.negotiate('bob/admin'), withPassword), `bob/admin@${realm}`);
    });
  }

  test('the grants kerberos and iwa:ntlm give tokens for tickets', async () => {
    const home = mkdtempSync(join(tmpdir(), 'millrace-kerberos-'));
    const folder = join(home, 'identity/identity-providers');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'desk.xml'), providerFile);
    process.env['KRB5_KTNAME'] = `FILE:${peer.keytab}`;
    try {
      await using server = await startTestIdentity({ toml: '[oauth.grant_type.kerberos]\nenable = true\n', home });
      server.clock.advance(Date.now() - server.clock.now());
      await server.client('desk', { grantTypes: ['kerberos', 'iwa:ntlm'] });
      const ada = server.users.add({ name: 'ada', password: 'unused' });
      const ask = async (form: Readonly<Record<string, string>>) =>
        (await server.call('/oauth2/token', { headers: basic('desk'), form })).json();
      const introspect = async (token: unknown) => {
        const form = { token: String(token) };
        return (await server.call('/oauth2/introspect', { headers: basic('desk'), form })).json();
      };
      const token = await peer.negotiate('ada');
      const form = { grant_type: 'kerberos', kerberos_realm: 'desk', kerberos_token: token };
      const { access_token: first } = await ask(form);
      assert.equal((await introspect(first))['sub'], ada.id, 'a user of the stores');
      assert.deepEqual(await ask(form), { error: 'invalid_grant', error_description: 'The ticket came before' });
      const negotiated = { grant_type: 'iwa:ntlm', windows_token: await peer.negotiate('bob/admin') };
      const { access_token: second } = await ask(negotiated);
      assert.equal((await introspect(second))['sub'], `bob/admin@${realm}`, 'a user of the provider');
      server.users.block(ada);
      const blocked = await ask({ ...form, kerberos_token: await peer.negotiate('ada') });
      assert.equal(blocked['error'], 'invalid_grant');
    } finally {
      delete process.env['KRB5_KTNAME'];
      rmSync(home, { recursive: true, force: true });
    }
  });

  test('a ticket counts once', async () => {
    const once = accept();
    const token = await peer.negotiate('ada');
    await once(token, ours);
    await assert.rejects(once(token, ours), { code: 'MR_KERBEROS', message: 'The ticket came before' });
  });

  test('a ticket for another service, at another time, or changed is refused', async () => {
    const token = await peer.negotiate('ada');
    const other = { ...ours, principal: `HTTP/other@${realm}` };
    await assert.rejects(accept()(token, other), { message: /is for HTTP\/localhost/ });
    const early = createTestClock(Date.now() - 3_600_000);
    await assert.rejects(accept(early)(token, ours), { message: 'The ticket is not valid yet' });
    const soon = createTestClock(Date.now() + 3_600_000);
    await assert.rejects(accept(soon)(token, ours), { message: 'The clock of the client is wrong' });
    const late = createTestClock(Date.now() + 30 * 3_600_000);
    await assert.rejects(accept(late)(token, ours), { message: 'The ticket has ended' });
    const bytes = Buffer.from(token, 'base64');
    for (let index = 0; index < bytes.length; index += 7) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 0x20;
      const result = await accept()(changed.toString('base64'), ours).catch((error: unknown) => error);
      // Some bytes are of the negotiation around the request, which nobody signs.
      if (typeof result === 'string') assert.equal(result, `ada@${realm}`);
      else assert.equal((result as { code?: unknown }).code, 'MR_KERBEROS', `byte ${index}: ${String(result)}`);
    }
    for (let length = 0; length < bytes.length; length += 11) {
      const cut = bytes.subarray(0, length).toString('base64');
      await assert.rejects(accept()(cut, ours), { code: 'MR_KERBEROS' }, `${length} bytes`);
    }
  });

  test('a key that is not that of the ticket is refused', async () => {
    const wrong = { ...ours, password: 'wrong' };
    const keytab = join(tmpdir(), 'no-keytab');
    await assert.rejects(accept(systemClock, keytab)(await peer.negotiate('ada'), wrong), {
      message: 'The ticket was not encrypted with the key of the service',
    });
    await assert.rejects(accept(systemClock, keytab)(await peer.negotiate('ada'), ours), {
      message: 'The keys of the service cannot be read',
    });
  });
});
