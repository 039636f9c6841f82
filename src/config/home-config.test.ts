import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createSelfSigned, encryptSecret, writePkcs12 } from '#keystore';
import { superAdmin } from './catalog/index.ts';
import { configFileOf } from './home.ts';
import { loadHomeConfig } from './home-config.ts';

const base = mkdtempSync(join(tmpdir(), 'millrace-home-'));
after(() => rmSync(base, { recursive: true }));
const pair = await createSelfSigned({ hostNames: ['localhost'], days: 1 });
const keyStore = writePkcs12(
  [{ alias: 'mill', privateKeyPem: pair.privateKeyPem, certificatePems: [pair.certificatePem] }],
  'storepass',
);

/** A home whose administrator's password is an encrypted secret. */
function home(name: string, keystoreLines = ''): string {
  const directory = join(base, name);
  mkdirSync(join(directory, 'conf', 'security'), { recursive: true });
  writeFileSync(join(directory, 'conf', 'security', 'mill.p12'), keyStore);
  writeFileSync(
    join(directory, 'conf', 'deployment.toml'),
    `[keystore.tls]\nfile_name = "mill.p12"\n${keystoreLines}
[super_admin]\npassword = "$secret{admin}"
[secrets]\nadmin = "${encryptSecret('spring water', pair.certificatePem)}"\n`,
  );
  return directory;
}

test('the password comes from a file that is deleted, or from one that is kept', async () => {
  for (const [file, isKept] of [
    ['password-tmp', false],
    ['password-persist', true],
  ] as const) {
    const directory = home(file);
    writeFileSync(join(directory, file), 'storepass\n');
    const { config, problems } = await loadHomeConfig({ home: directory });
    assert.deepEqual(problems, []);
    assert.equal(config.get(superAdmin.password), 'spring water');
    assert.equal(existsSync(join(directory, file)), isKept);
  }
});

test('the password comes from the environment, the configuration or a person', async () => {
  const env = { MILLRACE_KEYSTORE_PASSWORD: 'storepass' };
  assert.equal((await loadHomeConfig({ home: home('env'), env })).config.get(superAdmin.password), 'spring water');
  const configured = home('configured', 'password = "storepass"');
  assert.equal((await loadHomeConfig({ home: configured })).config.get(superAdmin.password), 'spring water');
  const asked = await loadHomeConfig({ home: home('asked'), prompt: async () => 'storepass' });
  assert.equal(asked.config.get(superAdmin.password), 'spring water');
});

test('without any password the error says where to put it', async () => {
  await assert.rejects(loadHomeConfig({ home: home('none') }), { code: 'MR_CONFIG_NO_PASSWORD' });
});

test('flows read secrets by their alias, and a key store that only they want is a warning', async () => {
  const directory = home('flows');
  const file = join(directory, 'conf', 'deployment.toml');
  const cipherText = encryptSecret('for flows', pair.certificatePem);
  const [open, waiting] = [`mine = "${cipherText}"`, 'later = "[not encrypted]"'];
  writeFileSync(file, `[keystore.tls]\nfile_name = "mill.p12"\n[secrets]\n${open}\n${waiting}\n`);
  const env = { MILLRACE_KEYSTORE_PASSWORD: 'storepass' };
  const { secret } = await loadHomeConfig({ home: directory, env });
  assert.deepEqual(
    ['mine', 'later', 'none'].map((alias) => secret(alias)),
    ['for flows', undefined, undefined],
  );
  const closed = await loadHomeConfig({ home: directory });
  assert.equal(closed.secret('mine'), undefined);
  assert.deepEqual(
    closed.problems.map(({ code, severity }) => [code, severity]),
    [['MR_CONFIG_SECRETS_CLOSED', 'warning']],
  );
});

test('a wrong password names the key store', async () => {
  const env = { MILLRACE_KEYSTORE_PASSWORD: 'wrong' };
  await assert.rejects(loadHomeConfig({ home: home('wrong'), env }), /mill\.p12/);
});

test('the configuration file is found in both places', () => {
  const directory = join(base, 'old');
  mkdirSync(join(directory, 'repository', 'conf'), { recursive: true });
  assert.throws(() => configFileOf(directory), { code: 'MR_CONFIG_NO_FILE' });
  writeFileSync(join(directory, 'repository', 'conf', 'deployment.toml'), '');
  assert.equal(configFileOf(directory), join(directory, 'repository', 'conf', 'deployment.toml'));
});
