import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { coreSchema, migrate, openSqlite } from '#db';
import { systemClock } from '#core';
import { createProtection, oauthSchema } from '#identity';
import { TokenStore } from '../../src/identity/oauth/token-store.ts';

/** How often the process is killed. */
const kills = 50;

test('a process that is killed while it issues leaves no token half stored', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-token-crash-'));
  try {
    const file = join(directory, 'tokens.sqlite');
    {
      await using database = openSqlite({ path: file });
      await migrate(database, [coreSchema, oauthSchema]);
    }
    const answered: string[] = [];
    for (let round = 0; round < kills; round += 5) {
      const issuers = Array.from({ length: 5 }, (_, index) => killWhileIssuing(file, `user-${round + index}`));
      answered.push(...(await Promise.all(issuers)).flat());
    }
    assert.ok(answered.length > kills, `only ${answered.length} tokens were issued`);
    await using database = openSqlite({ path: file });
    assert.deepEqual({ ...database.get('PRAGMA integrity_check') }, { integrity_check: 'ok' });
    const protection = createProtection({ mode: 'plain', algorithm: 'sha256', key: undefined });
    const settings = { skew: 0, renewsAccessToken: false, cleansUp: true, retainsForAudit: true, retries: 5 };
    const tokens = new TokenStore({ database, protection, clock: systemClock, settings });
    for (const token of answered) assert.ok(await tokens.findAccess(token), 'what was answered is stored');
    // Whatever was renewed has its copy, its former refresh token and its successor, or none of them.
    const half = database.get(
      'SELECT COUNT(*) AS n FROM mr_token_audit a LEFT JOIN mr_refresh_former f ON f.hash = a.refresh_hash ' +
        'LEFT JOIN mr_token t ON t.family = a.family WHERE f.hash IS NULL OR t.id IS NULL',
    );
    assert.equal(half?.['n'], 0);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

/** The tokens that a process answered with before it was killed, some time after its first one. */
async function killWhileIssuing(file: string, name: string): Promise<readonly string[]> {
  const program = join(import.meta.dirname, '../helpers/token-issuer.ts');
  const child = spawn(process.execPath, [program, file, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (text === '') setTimeout(() => child.kill('SIGKILL'), 5 + Math.random() * 60);
    text += chunk;
  });
  await ended;
  return text.split('\n').slice(0, -1);
}
