// `npm run bench:large -- [ROWS] [--operations N] [--keep FOLDER]`: what a token costs in a large store
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '#core';
import { coreSchema, migrate, openSqlite, type EmbeddedDatabase } from '#db';
import { createProtection, oauthSchema, superTenant } from '#identity';
import { TokenStore } from '../src/identity/oauth/token-store.ts';
import type { TokenValues } from '../src/identity/oauth/token-store-parts.ts';
import { newOpaqueValue } from '../src/identity/oauth/token-values.ts';
import type { TokenOrder } from '../src/identity/oauth/tokens.ts';
import { clientCount } from './identity-clients.ts';
import { describeMachine } from './machine.ts';
import { alignColumns } from './table.ts';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    operations: { type: 'string', default: '20000' },
    /** Where the stores stay, to be measured again without being filled. */
    keep: { type: 'string' },
  },
});
const rows = Number(positionals[0] ?? 1_000_000);
const operations = Number(options.operations);
/** Requests that are served at the same time. */
const together = 16;

const values: TokenValues = {
  access(issuedAt) {
    const value = newOpaqueValue(issuedAt);
    return { value, alias: value };
  },
  refresh: newOpaqueValue,
};

let number = 0;

/** Every order is another tuple: client and user differ as they would. */
function nextOrder(): TokenOrder {
  const index = number++;
  const id = `user-${(index * 7919) % 1_000_003}-${index}`;
  return {
    tenant: superTenant,
    clientId: `client${index % clientCount}`,
    subject: { id, name: id, storeDomain: '', tenant: superTenant, type: 'user', identityProvider: 'LOCAL' },
    grantType: 'password',
    scopes: ['openid', 'profile'],
    binding: '',
    accessLifetime: 3_600_000,
    refreshLifetime: 86_400_000,
    form: 'opaque',
    authenticatedAt: undefined,
  };
}

interface Store {
  readonly file: string;
  readonly database: EmbeddedDatabase;
  readonly tokens: TokenStore;
  /** Access and refresh tokens that are there, some of all. */
  readonly known: { readonly access: string; readonly refresh: string }[];
}

async function openStore(folder: string, name: string): Promise<Store> {
  const file = join(folder, `${name}.sqlite`);
  const database = openSqlite({ path: file });
  await migrate(database, [coreSchema, oauthSchema]);
  const protection = createProtection({ mode: 'plain', algorithm: 'sha256', key: undefined });
  const settings = { skew: 0, renewsAccessToken: false, cleansUp: true, retainsForAudit: true, retries: 5 };
  const tokens = new TokenStore({ database, protection, clock: systemClock, settings });
  return { file, database, tokens, known: [] };
}

async function fill({ tokens, known }: Store, count: number): Promise<void> {
  const every = Math.max(1, Math.floor(count / operations));
  for (let done = 0; done < count; done += 64) {
    const issued = await Promise.all(
      Array.from({ length: Math.min(64, count - done) }, () => tokens.issue(nextOrder(), values)),
    );
    for (const [index, { accessToken, refreshToken = '' }] of issued.entries()) {
      if ((done + index) % every === 0) known.push({ access: accessToken, refresh: refreshToken });
    }
  }
}

interface Kept {
  readonly number: number;
  readonly known: readonly Store['known'][];
}

/** Takes up what an earlier run wrote; false when there is nothing. */
function readKept(filled: readonly Store[]): boolean {
  const file = join(folder, 'known.json');
  if (!existsSync(file)) return false;
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept;
  number = kept.number;
  for (const [index, { known }] of filled.entries()) known.push(...(kept.known[index] ?? []));
  return true;
}

function writeKept(filled: readonly Store[]): void {
  const kept: Kept = { number, known: filled.map(({ known }) => known) };
  writeFileSync(join(folder, 'known.json'), JSON.stringify(kept));
}

const work: Readonly<Record<string, (store: Store, index: number) => Promise<unknown>>> = {
  issue: ({ tokens }) => tokens.issue(nextOrder(), values),
  introspect: ({ tokens, known }, index) => tokens.findAccess(known[(index * 7919) % known.length]?.access ?? ''),
  async refresh({ tokens, known }, index) {
    const former = await tokens.findRefresh(known[index % known.length]?.refresh ?? '');
    if (!former) throw new Error('a refresh token is not there');
    const order = { ...nextOrder(), clientId: former.record.clientId, subject: former.record.subject };
    const { accessToken, refreshToken = '' } = await tokens.renew({ former, order, values, refreshToken: undefined });
    known[index % known.length] = { access: accessToken, refresh: refreshToken };
  },
};

/** Microseconds of each operation, sorted, `together` of them at a time. */
async function measure(store: Store, name: string): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < operations; index += together) {
    await Promise.all(
      Array.from({ length: together }, async (_, offset) => {
        const began = performance.now();
        await work[name]?.(store, index + offset);
        times.push((performance.now() - began) * 1000);
      }),
    );
  }
  return times.toSorted((left, right) => left - right);
}

const at = (times: readonly number[], share: number): number => times[Math.floor(times.length * share)] ?? 0;

const { processor, cores, load, node } = describeMachine();
console.log(`${processor}, ${cores} cores, load ${load}, Node ${node}; SQLite, WAL, synchronous = NORMAL`);
const folder = options.keep ?? mkdtempSync(join(tmpdir(), 'millrace-large-'));
mkdirSync(folder, { recursive: true });
const stores: Store[] = [];
try {
  const empty = await openStore(folder, 'empty');
  const large = await openStore(folder, 'large');
  stores.push(empty, large);
  if (!readKept(stores)) {
    await fill(empty, operations);
    const began = performance.now();
    await fill(large, rows);
    const seconds = (performance.now() - began) / 1000;
    const size = statSync(large.file).size / 2 ** 20;
    console.log(`${rows} tokens issued in ${seconds.toFixed(0)} s, ${size.toFixed(0)} MiB`);
    writeKept(stores);
  }
  const lines: string[][] = [];
  for (const name of Object.keys(work)) {
    // Both are measured in turn, the first time to get warm.
    const best = new Map<Store, readonly number[]>();
    for (let round = 0; round < 4; round++) {
      for (const store of stores) {
        const times = await measure(store, name);
        const former = best.get(store);
        if (round > 0 && (!former || at(times, 0.99) < at(former, 0.99))) best.set(store, times);
      }
    }
    const [few = [], many = []] = stores.map((store) => best.get(store) ?? []);
    const columns = [0.5, 0.99].flatMap((share) => [
      at(few, share).toFixed(0),
      at(many, share).toFixed(0),
      (at(many, share) / at(few, share)).toFixed(2),
    ]);
    lines.push([name, ...columns]);
  }
  writeKept(stores);
  const head = ['operation', 'p50 few µs', `p50 ${rows}`, 'x', 'p99 few µs', `p99 ${rows}`, 'x'];
  console.log(`\n${alignColumns([head, ...lines])}`);
} finally {
  for (const { database } of stores) await database[Symbol.asyncDispose]();
  if (options.keep === undefined) rmSync(folder, { recursive: true, force: true });
}
