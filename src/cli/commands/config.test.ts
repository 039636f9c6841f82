import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test, type TestContext } from 'node:test';
import { runCommand, type CommandDef } from 'citty';
import { createSelfSigned, writePkcs12 } from '#keystore';
import { configCommand } from './config.ts';
import { secretCommand } from './secret.ts';

const base = mkdtempSync(join(tmpdir(), 'millrace-commands-'));
after(() => rmSync(base, { recursive: true }));

function home(name: string, text: string): string {
  const directory = join(base, name);
  mkdirSync(join(directory, 'conf', 'security'), { recursive: true });
  writeFileSync(join(directory, 'conf', 'deployment.toml'), text);
  return directory;
}

/** Runs a command and gives what it printed and its exit code. */
async function run(t: TestContext, command: CommandDef, rawArgs: string[]) {
  const lines: string[] = [];
  const print = (...parts: unknown[]) => void lines.push(parts.join(' '));
  const log = t.mock.method(console, 'log', print);
  const error = t.mock.method(console, 'error', print);
  const before = process.exitCode;
  process.exitCode = 0;
  try {
    await runCommand(command, { rawArgs });
    return { text: lines.join('\n'), code: process.exitCode };
  } finally {
    process.exitCode = before;
    log.mock.restore();
    error.mock.restore();
  }
}

test('explain shows a key with its value and place', async (t) => {
  const directory = home('explain', '[server]\noffset = 7\n');
  const { text, code } = await run(t, configCommand, ['explain', 'server.offset', '--home', directory]);
  assert.equal(code, 0);
  assert.match(text, /^server\.offset\n/);
  assert.match(text, /value {5}7 — .*deployment\.toml:2:10/);
});

test('explain of an unknown key is wrong use and names the nearest', async (t) => {
  const { text, code } = await run(t, configCommand, ['explain', 'server.ofset', '--home', home('unknown', '')]);
  assert.equal(code, 2);
  assert.match(text, /did you mean server\.offset\?/);
});

test('show prints the file with secrets masked, as text and as JSON', async (t) => {
  const directory = home('show', '[super_admin]\nusername = "root"\npassword = "abc"\n');
  const shown = await run(t, configCommand, ['show', '--home', directory]);
  assert.match(shown.text, /super_admin\.password = "\*{8}"/);
  const json = await run(t, configCommand, ['show', '--effective', '--json', '--home', directory]);
  const { values } = JSON.parse(json.text) as { values: { path: string; value: unknown }[] };
  assert.equal(values.find(({ path }) => path === 'server.offset')?.value, 0);
  assert.doesNotMatch(json.text, /abc/);
});

test('show of a faulty file prints what is wrong and ends with 1', async (t) => {
  const { text, code } = await run(t, configCommand, ['show', '--home', home('faulty', '[server]\noffset = "x"\n')]);
  assert.equal(code, 1);
  assert.match(text, /deployment\.toml:2:10: error: server\.offset expects a whole number/);
});

test('a home without configuration is wrong use', async (t) => {
  const { code } = await run(t, configCommand, ['show', '--home', join(base, 'nowhere')]);
  assert.equal(code, 2);
});

test('coverage lists the keys that are pending', async (t) => {
  const counted = JSON.parse((await run(t, configCommand, ['coverage', '--json'])).text) as {
    all: { pending: number };
  };
  const { text } = await run(t, configCommand, ['coverage', '--pending']);
  assert.equal(text === '' ? 0 : text.split('\n').length, counted.all.pending);
});

test('coverage counts all keys', async (t) => {
  const { text } = await run(t, configCommand, ['coverage', '--json']);
  const report = JSON.parse(text) as { all: { total: number }; documented: { total: number } };
  assert.ok(report.all.total > report.documented.total);
});

test('secrets are listed, encrypted in the file, and no longer plain', async (t) => {
  const directory = home(
    'secrets',
    '[keystore.tls]\nfile_name = "k.p12"\npassword = "pass"\n[secrets]\ndb = "[abc]" # kept\n',
  );
  const file = join(directory, 'conf', 'deployment.toml');
  const pair = await createSelfSigned({ hostNames: ['localhost'], days: 1 });
  const entry = { alias: 'k', privateKeyPem: pair.privateKeyPem, certificatePems: [pair.certificatePem] };
  writeFileSync(join(directory, 'conf', 'security', 'k.p12'), writePkcs12([entry], 'pass'));
  const before = await run(t, secretCommand, ['list', '--home', directory]);
  assert.equal(before.code, 1);
  assert.match(before.text, /^db {2}plain/);
  const encrypted = await run(t, secretCommand, ['encrypt', '--home', directory]);
  assert.equal(encrypted.text, 'encrypted: db');
  assert.match(readFileSync(file, 'utf8'), /^db = "[A-Za-z0-9+/=]{300,}" # kept$/m);
  assert.equal((await run(t, secretCommand, ['list', '--home', directory])).code, 0);
  assert.equal((await run(t, secretCommand, ['encrypt', '--home', directory])).text, 'nothing to encrypt');
});

test('a key store that cannot be opened ends with 1 and changes nothing', async (t) => {
  const text = '[keystore.tls]\nfile_name = "none.p12"\npassword = "pass"\n[secrets]\ndb = "[abc]"\n';
  const directory = home('closed', text);
  const { text: printed, code } = await run(t, secretCommand, ['encrypt', '--home', directory]);
  assert.equal(code, 1);
  assert.match(printed, /none\.p12/);
  assert.equal(readFileSync(join(directory, 'conf', 'deployment.toml'), 'utf8'), text);
});
