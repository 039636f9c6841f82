import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { startProgram } from '../helpers/program.ts';

const projectRoot = join(import.meta.dirname, '../..');

test('the settings of a client are given, kept and changed from the shell', async () => {
  const home = mkdtempSync(join(tmpdir(), 'millrace-client-command-'));
  const run = async (...words: string[]): Promise<{ code: number | NodeJS.Signals; output: string }> => {
    const args = [join(projectRoot, 'src/cli/main.ts'), 'client', ...words, '--home', home];
    const program = startProgram(process.execPath, args, { cwd: projectRoot, env: process.env });
    const code = await program.ended();
    return { code, output: program.output() };
  };
  try {
    mkdirSync(join(home, 'conf'));
    writeFileSync(join(home, 'conf/deployment.toml'), '[super_admin]\nusername = "admin"\npassword = "long-enough"\n');
    const made = await run('create', 'shop', '--id', 'shop', '--saas', '--skip-consent', '--audiences', 'a,b');
    assert.equal(made.code, 0, made.output);
    const change = ['--no-skip-consent', '--renew-refresh-token', 'no', '--claims', 'email', '--name', 'store'];
    const changed = await run('update', 'shop', ...change, '--output', 'json');
    assert.equal(changed.code, 0, changed.output);
    const [{ name, saas, skipConsent, renewRefreshToken, audiences, claims, active }] = JSON.parse(changed.output) as [
      Record<string, unknown>,
    ];
    assert.deepEqual([name, saas, skipConsent, renewRefreshToken], ['store', true, false, 'no']);
    assert.deepEqual([audiences, claims, active], ['a, b', 'email', true]);
    const refused = await run('update', 'shop', '--scope-validators', 'com.acme.Gone');
    assert.equal(refused.code, 1);
    assert.match(refused.output, /scope_validators: expected .*class_map/);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
