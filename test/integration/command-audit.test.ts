import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';

const program = join(import.meta.dirname, '../../src/cli/main.ts');

test('commands that change something leave a record, also when they fail', () => {
  const home = mkdtempSync(join(tmpdir(), 'millrace-command-audit-'));
  try {
    mkdirSync(join(home, 'conf'));
    writeFileSync(join(home, 'conf/deployment.toml'), '[user_store.properties]\nPasswordDigest = "SHA-256"\n');
    const run = (line: string, input = ''): number | null =>
      spawnSync(process.execPath, [program, ...line.split(' '), '--home', home], { input }).status;
    assert.equal(run('user create ada', 'long-enough\n'), 0);
    assert.equal(run('user create ada', 'long-enough\n'), 1);
    assert.equal(run('user list'), 0);
    assert.equal(run('token --revoke a-secret-value'), 1);
    const text = readFileSync(join(home, 'logs/audit.log'), 'utf8');
    const lines = text.split('\n').filter((line) => line !== '');
    const records = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    const actor = `shell:${userInfo().username}`;
    assert.deepEqual(
      records.map((record) => [
        record['actor'],
        record['tenant'],
        record['action'],
        record['target'],
        record['outcome'],
      ]),
      [
        [actor, 'carbon.super', 'created', 'user:ada', 'success'],
        [actor, 'carbon.super', 'created', 'user:ada', 'failure'],
        [actor, 'carbon.super', 'revoked', 'token', 'failure'],
      ],
    );
    assert.doesNotMatch(text, /long-enough|a-secret-value/);
    assert.equal(statSync(join(home, 'logs/audit.log')).mode & 0o77, 0, 'nobody else reads it');
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
