// Issues and renews tokens on a file without end, and writes each answer to its output: `token-issuer.ts FILE NAME`
import { writeSync } from 'node:fs';
import process from 'node:process';
import { systemClock } from '#core';
import { openSqlite } from '#db';
import { createProtection } from '../../src/identity/oauth/token-protection.ts';
import { newOpaqueValue } from '../../src/identity/oauth/token-values.ts';
import { TokenStore } from '../../src/identity/oauth/token-store.ts';
import { superTenant } from '../../src/identity/tenants/tenant.ts';

const [file = '', name = ''] = process.argv.slice(2);
const database = openSqlite({ path: file });
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
  if (!former) throw new Error('the refresh token is not there');
  const { accessToken } = await tokens.renew(former, order, { values, refreshToken: undefined });
  writeSync(1, `${accessToken}\n`);
}

for (let round = 0; ; round++) await Promise.all(Array.from({ length: 8 }, (_, i) => issue(`s${round}-${i}`)));
