import assert from 'node:assert/strict';
import { test } from 'node:test';
import { superAdmin } from './catalog/index.ts';
import { loadConfig } from './load.ts';

const using = '[super_admin]\npassword = "$secret{admin}"\n';
const reverse = (cipherText: string) => cipherText.split('').reverse().join('');

test('a secret is decrypted at load and masked wherever it is shown', () => {
  const { config, problems } = loadConfig({ text: `${using}[secrets]\nadmin = "cba"`, decrypt: reverse });
  assert.deepEqual(problems, []);
  assert.equal(config.get(superAdmin.password), 'abc');
  assert.doesNotMatch(JSON.stringify([config.effective(), config.explain('super_admin.password')]), /abc|cba/);
});

test('a secret is masked also behind a key that is none', () => {
  const text = '[super_admin]\nusername = "$secret{admin}"\n[secrets]\nadmin = "cba"';
  const { config } = loadConfig({ text, decrypt: reverse });
  assert.equal(config.explain('super_admin.username')?.values[0]?.value, '********');
});

test('a missing alias, a plain value and a wrong key have errors of their own', () => {
  const problemOf = (secrets: string) => {
    const { problems } = loadConfig({
      text: `${using}${secrets}`,
      file: 'f.toml',
      decrypt: () => {
        throw new Error('bad');
      },
    });
    return `${problems[0]?.code} ${problems[0]?.position?.line}:${problems[0]?.position?.column}`;
  };
  assert.equal(problemOf(''), 'MR_CONFIG_SECRET_MISSING 2:13');
  assert.equal(problemOf('[secrets]\nadmin = "[plain]"'), 'MR_CONFIG_SECRET_PLAIN 2:13');
  assert.equal(problemOf('[secrets]\nadmin = "QUJD"'), 'MR_CONFIG_SECRET_UNREADABLE 2:13');
});

test('the encrypted text may come from the environment', () => {
  const text = `${using}[secrets]\nadmin = "$env{CIPHER}"`;
  const { config } = loadConfig({ text, env: { CIPHER: 'cba' }, decrypt: reverse });
  assert.equal(config.get(superAdmin.password), 'abc');
});

test('without a key the secret is locked and reading it says so', () => {
  const { config, problems } = loadConfig({ text: `${using}[secrets]\nadmin = "QUJD"` });
  assert.deepEqual(problems, []);
  assert.equal(config.hasLockedSecrets, true);
  assert.throws(() => config.get(superAdmin.password), { code: 'MR_CONFIG_SECRET_LOCKED' });
});

test('aliases may come later when runtime secrets are on', () => {
  const { problems } = loadConfig({ text: `${using}[runtime_secrets]\nenable = "true"` });
  assert.deepEqual(problems, []);
});
