import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dashboardMiUserStore, loadConfig, openSecretCipher, superAdmin, type Config } from '#config';
import { messageOf } from '#errors';
import { createSelfSigned, decryptSecret, encryptSecret, writePkcs12 } from '#keystore';
import type { EffectRow } from './effect-row.ts';

const one = await createSelfSigned({ hostNames: ['one'], days: 1 });
const two = await createSelfSigned({ hostNames: ['two'], days: 1 });
const entryOf = (alias: string, { privateKeyPem, certificatePem }: typeof one) => {
  return { alias, privateKeyPem, certificatePems: [certificatePem] };
};
const usesSecret = '[super_admin]\npassword = "$secret{admin}"\n';

/** What the secret `opened` reads as with the key pair that the configuration names. */
async function opened(config: Config): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'millrace-effects-'));
  try {
    writeFileSync(join(home, 'first.p12'), writePkcs12([entryOf('a', one), entryOf('b', two)], 'pass'));
    writeFileSync(join(home, 'second.p12'), writePkcs12([entryOf('a', two)], 'word'));
    const cipher = await openSecretCipher(config, { home });
    return cipher.decrypt(encryptSecret('opened', one.certificatePem));
  } catch (error) {
    return messageOf(error);
  } finally {
    rmSync(home, { recursive: true });
  }
}

const keyStores = ['keystore.internal', 'keystore.primary', 'keystore.tls'];

export const rows: readonly EffectRow[] = [
  {
    key: 'secrets.admin',
    first: encryptSecret('spring', one.certificatePem),
    second: encryptSecret('summer', one.certificatePem),
    given: usesSecret,
    observe: (_, text) =>
      loadConfig({ text, decrypt: (cipherText) => decryptSecret(cipherText, one.privateKeyPem) }).config.get(
        superAdmin.password,
      ),
  },
  {
    file: 'dashboard',
    key: 'secrets.login',
    first: encryptSecret('spring', one.certificatePem),
    second: encryptSecret('summer', one.certificatePem),
    given: '[mi_user_store]\nusername = "root"\npassword = "$secret{login}"\n',
    observe: (_, text) =>
      loadConfig({
        text,
        catalog: 'dashboard',
        decrypt: (cipherText) => decryptSecret(cipherText, one.privateKeyPem),
      }).config.get(dashboardMiUserStore.password),
  },
  {
    key: 'runtime_secrets.enable',
    first: false,
    second: true,
    observe: (_, text) => loadConfig({ text: `${text}\n${usesSecret}` }).problems.length,
  },
  {
    file: 'dashboard',
    key: 'keystore.file_name',
    first: 'first.p12',
    second: 'second.p12',
    given: '[keystore]\npassword = "pass"\nkey_password = "pass"\n',
    observe: opened,
  },
  {
    file: 'dashboard',
    key: 'keystore.password',
    first: 'pass',
    second: 'word',
    given: '[keystore]\nfile_name = "first.p12"\nkey_password = "pass"\n',
    observe: opened,
  },
  ...keyStores.flatMap((section): EffectRow[] => [
    {
      key: `${section}.file_name`,
      first: 'first.p12',
      second: 'second.p12',
      given: `[${section}]\npassword = "pass"\nalias = "a"\n`,
      observe: opened,
    },
    {
      key: `${section}.password`,
      first: 'pass',
      second: 'word',
      given: `[${section}]\nfile_name = "first.p12"\nalias = "a"\n`,
      observe: opened,
    },
    {
      key: `${section}.alias`,
      first: 'a',
      second: 'b',
      given: `[${section}]\nfile_name = "first.p12"\npassword = "pass"\n`,
      observe: opened,
    },
  ]),
];
