// Issues and renews tokens without end on a file, or the database of a JDBC URL, and writes each answer to its output:
// `token-issuer.ts FILE|URL NAME [USER]`
import { writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { createHome, systemClock } from '#core';
import { openForeignDatabase, openSqlite } from '#db';
import { OAuthError } from '../../src/identity/oauth/errors.ts';
import { createProtection } from '../../src/identity/oauth/token-protection.ts';
import { newOpaqueValue } from '../../src/identity/oauth/token-values.ts';
import { TokenStore } from '../../src/identity/oauth/token-store.ts';
import { superTenant } from '../../src/identity/tenants/tenant.ts';

const [place = '', name = '', username = ''] = process.argv.slice(2);
const database = place.startsWith('jdbc:')
  ? await openForeignDatabase({ home: createHome(tmpdir()), url: place, username, password: 'unused' })
  : openSqlite({ path: place });
const protection = createProtection({ mode: 'plain', algorithm: 'sha256', key: undefined });
const settings = { skew: 0, renewsAccessToken: false, cleansUp: true, retainsForAudit: true, retries: 5 };
const tokens = new TokenStore({ database, protection, clock: systemClock, settings });
const values = {
  access(issuedAt: number) {
    const value = newOpaqueValue(issuedAt);
    return { value, alias: value };
  },
  refresh: newOpaqueValue,
};

async function issue(scope: string): Promise<void> {
  const subject = {
    id: name,
    name,
    storeDomain: '',
    tenant: superTenant,
    type: 'user',
    identityProvider: 'LOCAL',
  } as const;
  const order = {
    tenant: superTenant,
    clientId: 'app',
    subject,
    grantType: 'password',
    scopes: [scope],
    binding: '',
    accessLifetime: 3_600_000,
    refreshLifetime: 3_600_000,
    form: 'opaque',
    authenticatedAt: undefined,
  } as const;
  const first = await tokens.issue(order, values);
  const former = await tokens.findRefresh(first.refreshToken ?? '');
  // Another process that issues for the same user may have been faster.
  if (!former) return;
  try {
    const { accessToken } = await tokens.renew({ former, order, values, refreshToken: undefined });
    writeSync(1, `${accessToken}\n`);
  } catch (error) {
    if (!(error instanceof OAuthError && error.error === 'invalid_grant')) throw error;
  }
}

for (let round = 0; ; round++) await Promise.all(Array.from({ length: 8 }, (_, i) => issue(`s${round}-${i}`)));
