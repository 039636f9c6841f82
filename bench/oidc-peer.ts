// The peer of the token benchmarks: `oidc-provider` over the same embedded database. `oidc-peer.ts PORT FILE CLIENTS`
// It writes refresh tokens of its first client into `FILE.tokens`, one a line.
import { writeFileSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import process from 'node:process';
import { Provider, type Adapter, type AdapterPayload } from 'oidc-provider';
import { benchClient, refreshCount } from './identity-clients.ts';

const [port = '0', file = ':memory:', clients = '1'] = process.argv.slice(2);

const database = new DatabaseSync(file);
database.exec(
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ' +
    'CREATE TABLE IF NOT EXISTS item (id TEXT PRIMARY KEY, grant_id TEXT, user_code TEXT, uid TEXT, ' +
    'payload TEXT NOT NULL, expires INTEGER); CREATE INDEX IF NOT EXISTS item_grant ON item (grant_id)',
);
const statements = {
  upsert: database.prepare(
    'INSERT OR REPLACE INTO item (id, grant_id, user_code, uid, payload, expires) VALUES (?, ?, ?, ?, ?, ?)',
  ),
  find: database.prepare('SELECT payload, expires FROM item WHERE id = ?'),
  byUid: database.prepare('SELECT payload, expires FROM item WHERE uid = ?'),
  byUserCode: database.prepare('SELECT payload, expires FROM item WHERE user_code = ?'),
  destroy: database.prepare('DELETE FROM item WHERE id = ?'),
  revoke: database.prepare('DELETE FROM item WHERE grant_id = ?'),
};

/** A row per model and id; each write is a transaction of its own, as it is in ours. */
class SqliteAdapter implements Adapter {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const expires = expiresIn ? Math.floor(Date.now() / 1000) + expiresIn : null;
    const { grantId = null, userCode = null, uid = null } = payload;
    statements.upsert.run(`${this.#name}:${id}`, grantId, userCode, uid, JSON.stringify(payload), expires);
  }

  find = async (id: string): Promise<AdapterPayload | undefined> => read(statements.find, `${this.#name}:${id}`);
  findByUid = async (uid: string): Promise<AdapterPayload | undefined> => read(statements.byUid, uid);
  findByUserCode = async (code: string): Promise<AdapterPayload | undefined> => read(statements.byUserCode, code);

  async consume(id: string): Promise<void> {
    const payload = await this.find(id);
    if (payload) await this.upsert(id, { ...payload, consumed: Math.floor(Date.now() / 1000) }, 3600);
  }

  async destroy(id: string): Promise<void> {
    statements.destroy.run(`${this.#name}:${id}`);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    statements.revoke.run(grantId);
  }
}

function read(statement: StatementSync, key: string): AdapterPayload | undefined {
  const row = statement.get(key);
  return row === undefined ? undefined : (JSON.parse(String(row['payload'])) as AdapterPayload);
}

const provider = new Provider(`http://127.0.0.1:${port}`, {
  adapter: SqliteAdapter,
  clients: Array.from({ length: Number(clients) }, (_, index) => {
    const { id, secret } = benchClient(index);
    return {
      client_id: id,
      client_secret: secret,
      grant_types: ['client_credentials', 'refresh_token'],
      redirect_uris: [],
      response_types: [],
      scope: 'offline_access orders',
    };
  }),
  features: {
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: async () => true },
    devInteractions: { enabled: false },
  },
  scopes: ['offline_access', 'orders'],
  findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
  rotateRefreshToken: () => true,
  ttl: { ClientCredentials: 3600, AccessToken: 3600, RefreshToken: 86_400, Grant: 86_400 },
});
writeFileSync(`${file}.tokens`, (await refreshTokens()).join('\n'));
provider.listen(Number(port), '127.0.0.1');

/** Refresh tokens as a sign-in would have given them. */
async function refreshTokens(): Promise<readonly string[]> {
  const client = await provider.Client.find(benchClient(0).id);
  if (!client) throw new Error('the first client is not there');
  const tokens: string[] = [];
  for (let index = 0; index < refreshCount; index++) {
    const accountId = `user-${index}`;
    const grant = new provider.Grant({ accountId, clientId: client.clientId });
    grant.addOIDCScope('offline_access orders');
    const facts = { accountId, client, grantId: await grant.save(), gty: 'authorization_code' };
    tokens.push(await new provider.RefreshToken({ ...facts, scope: 'offline_access orders' }).save());
  }
  return tokens;
}
