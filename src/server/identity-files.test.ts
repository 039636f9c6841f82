import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loadConfig } from '#config';
import { createHome } from '#core';
import { createSelfSigned, writePkcs12 } from '#keystore';
import { sealingKey } from './identity-files.ts';

describe('the key of what is stored encrypted', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-sealing-'));
  after(() => rmSync(directory, { recursive: true }));
  const pair = createSelfSigned({ hostNames: ['internal'], days: 1 });
  const asymmetric = '[encryption]\ntype = "asymmetric"\n';
  const internal = '[keystore.internal]\nfile_name = "internal.p12"\npassword = "inside"\n';

  /** The key of a new home, as text, whose internal key store holds this. */
  async function keyOf(toml: string, made?: string, withKey = true): Promise<string> {
    const home = createHome(mkdtempSync(join(directory, 'home-')));
    mkdirSync(home.security, { recursive: true });
    const { privateKeyPem, certificatePem } = await pair;
    const entry = { alias: 'inner', certificatePems: [certificatePem], ...(withKey && { privateKeyPem }) };
    writeFileSync(join(home.security, 'internal.p12'), writePkcs12([entry], 'inside'));
    if (made !== undefined) writeFileSync(join(home.security, 'internal.key'), made);
    const { config } = loadConfig({ text: toml });
    const key = Buffer.from(sealingKey(home, config)).toString('hex');
    assert.equal(Buffer.from(sealingKey(home, config)).toString('hex'), key);
    return key;
  }

  it('is one for all nodes with the same internal key store', async () => {
    const key = await keyOf(asymmetric + internal);
    assert.match(key, /^[0-9a-f]{64}$/);
    assert.equal(await keyOf(`${asymmetric}${internal}alias = "INNER"\n`), key);
    assert.notEqual(await keyOf(internal), key);
  });

  it('is another one for each home without such a store', async () => {
    assert.notEqual(await keyOf(asymmetric), await keyOf(asymmetric));
  });

  it('stays what the home has made before', async () => {
    assert.equal(await keyOf(asymmetric + internal, 'ab'.repeat(32)), 'ab'.repeat(32));
  });

  it('needs a private key in the store', async () => {
    await assert.rejects(keyOf(`${asymmetric}${internal}alias = "inner"\n`, undefined, false), {
      code: 'MR_IDENTITY_CONFIG',
      message: 'keystore.internal.alias: expected an entry with a private key, found the certificate "inner"',
    });
    await assert.rejects(keyOf(`${asymmetric}${internal}alias = "other"\n`), { code: 'MR_KEYSTORE_ALIAS_MISSING' });
  });
});
