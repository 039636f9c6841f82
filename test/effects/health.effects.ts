import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config } from '#config';
import { configureLog, createTestClock } from '#core';
import { superTenant, type UserStore } from '#identity';
import { createHealthApi } from '../../src/server/health-check/health-api.ts';
import { openCheckers } from '../../src/server/health-check/open-checkers.ts';
import { lentPool, pooledDatabase } from '../helpers/lent-pool.ts';
import type { EffectRow } from './effect-row.ts';
import { inServer, outcome, ports } from './effect-server.ts';

const path = '/api/health-check/v1.0/health';
const section = 'carbon_health_check.health_checker';
const own = '[[health_checker]]\n';
const tide = 'name = "./checkers.mjs"\n';

const modules = `export default {
  init({ parameters }) { this.of = parameters.harbour ?? 'no harbour'; },
  checkHealth() { return { tide: this.of }; },
};
export const wind = { checkHealth() { return { wind: 'west' }; } };`;

const stores = ['PRIMARY', 'PARTNERS'].map((domain) => ({ domain, find: async () => undefined }));

/** What the API answers about two stores, a pool that is used by half, a pool that is not used, and a module. */
async function answer(config: Config): Promise<unknown> {
  configureLog({ level: 'silent', format: 'json' });
  const directory = mkdtempSync(join(tmpdir(), 'millrace-health-'));
  try {
    writeFileSync(join(directory, 'checkers.mjs'), modules);
    using half = await lentPool(2, 4);
    using idle = await lentPool(0, 4);
    await using opened = await openCheckers(config, {
      health: { phase: 'ready' },
      stores: {
        of: async () => stores as readonly Partial<UserStore>[] as readonly UserStore[],
        faulty: async () => [],
      },
      superTenant,
      sources: () => [
        { name: 'jdbc/Half', databases: async () => [pooledDatabase(half)] },
        { name: 'jdbc/Idle', databases: async () => [pooledDatabase(idle)] },
      ],
      extensions: { directory, classMap: {} },
      clock: createTestClock(),
    });
    const { fetch } = createHealthApi(opened.checkers, createTestClock());
    const response = await fetch(new Request(`https://localhost${path}`));
    return [response.status, await response.text()];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

export const rows: readonly EffectRow[] = [
  {
    key: 'carbon_health_check.enable',
    first: true,
    second: false,
    given: ports,
    observe: (_, text) =>
      inServer(text, {}, async (server) =>
        (await outcome(`${server.url('Server HTTPS')}${path}`)).includes('userstore.health'),
      ),
  },
  { key: `${section}.super_tenant_health_checker.enable`, first: true, second: false, observe: answer },
  { key: `${section}.super_tenant_health_checker.order`, first: 98, second: 1, observe: answer },
  {
    key: `${section}.super_tenant_health_checker.properties.monitored.user.stores`,
    first: ['primary'],
    second: ['PARTNERS'],
    observe: answer,
  },
  { key: `${section}.data_source_health_checker.enable`, first: true, second: false, observe: answer },
  { key: `${section}.data_source_health_checker.order`, first: 1, second: 99, observe: answer },
  {
    key: `${section}.data_source_health_checker.properties.pool_usage_limit_percentage`,
    first: 50,
    second: 49,
    observe: answer,
  },
  {
    key: `${section}.data_source_health_checker.properties.monitored.datasources`,
    first: 'jdbc/Half,jdbc/Idle',
    second: 'jdbc/Idle',
    observe: answer,
  },
  { key: 'health_checker.name', first: './checkers.mjs', second: './checkers.mjs#wind', given: own, observe: answer },
  { key: 'health_checker.order', first: 1, second: 99, given: `${own}${tide}`, observe: answer },
  {
    key: 'health_checker.properties.harbour',
    first: 'north',
    second: 'south',
    given: `${own}${tide}`,
    observe: answer,
  },
];
