import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { coreSchema, migrate, openSqlite } from '#db';
import { systemClock } from '#core';
import { createProtection, oauthSchema } from '#identity';
import { TokenStore } from '../../src/identity/oauth/token-store.ts';
import { killWhileIssuing } from '../helpers/killed-issuer.ts';

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
