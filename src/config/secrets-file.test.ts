import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encryptSecrets, listSecrets, setSecret } from './secrets-file.ts';

const text = [
  '# top',
  '[server]',
  'offset = 1',
  '',
  '[secrets] # kept',
  'db_password = "[plain one]"   # comment stays',
  "'with.dot'='[two]'",
  'done = "QUJD"',
  'late = "$env{CIPHER}"',
  '',
  '[super_admin]',
  'password = "[not a secret of the table]"',
  '',
].join('\r\n');
const cipher = (plainText: string) => `<${plainText}>`;

test('plain values are encrypted in place and everything else stays as it is', () => {
  const edited = encryptSecrets(text, 'f.toml', cipher);
  assert.deepEqual(edited.changed, ['db_password', 'with.dot']);
  assert.equal(
    edited.text,
    text
      .replace('db_password = "[plain one]"', 'db_password = "<plain one>"')
      .replace("'with.dot'='[two]'", '\'with.dot\' = "<two>"'),
  );
  assert.deepEqual(encryptSecrets(edited.text, 'f.toml', cipher), { text: edited.text, changed: [] });
});

test('aliases are listed with their state and line', () => {
  assert.deepEqual(listSecrets(`\uFEFF${text}`, 'f.toml'), [
    { alias: 'db_password', state: 'plain', line: 6 },
    { alias: 'with.dot', state: 'plain', line: 7 },
    { alias: 'done', state: 'encrypted', line: 8 },
    { alias: 'late', state: 'dynamic', line: 9 },
  ]);
});

test('a known alias is replaced where it stands', () => {
  const edited = setSecret(text, 'f.toml', { alias: 'done', cipherText: 'NEW' });
  assert.equal(edited.text, text.replace('done = "QUJD"', 'done = "NEW"'));
});

test('a new alias goes to the end of the table with the line ends of the file', () => {
  const edited = setSecret(text, 'f.toml', { alias: 'a.b', cipherText: 'NEW' });
  assert.equal(edited.text, text.replace('late = "$env{CIPHER}"', 'late = "$env{CIPHER}"\r\n"a.b" = "NEW"'));
});

test('a file without the table gets one', () => {
  const secret = { alias: 'x', cipherText: 'NEW' };
  assert.equal(setSecret('a = 1', 'f.toml', secret).text, 'a = 1\n\n[secrets]\nx = "NEW"\n');
  assert.equal(setSecret('', 'f.toml', secret).text, '[secrets]\nx = "NEW"\n');
  assert.equal(setSecret('[secrets]', 'f.toml', secret).text, '[secrets]\nx = "NEW"');
});

test('a byte order mark is kept', () => {
  const edited = encryptSecrets('\uFEFF[secrets]\na = "[b]"', 'f.toml', cipher);
  assert.equal(edited.text, '\uFEFF[secrets]\na = "<b>"');
});

test('a file that is no TOML is refused with its place and without its secrets', () => {
  assert.throws(
    () => listSecrets('[secrets]\na = "[b]', 'f.toml'),
    (error: Error) =>
      error.name === 'ProblemsError' && error.message.includes('f.toml:2:') && !error.message.includes('[b'),
  );
});
