import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Readable } from 'node:stream';
import { after, before, describe, it, mock } from 'node:test';
import { configureLog } from '#core';
import { runProgram } from '../../src/cli/program.ts';

type Row = Readonly<Record<string, unknown>>;

/** What became of a command: its exit code, its rows as JSON, and what it wrote to either stream. */
interface Outcome {
  readonly code: string | number | null | undefined;
  readonly rows: readonly Row[];
  readonly message: unknown;
  readonly output: string;
  readonly errors: string;
}

describe('the commands that administer a home', () => {
  let home = '';
  before(() => {
    configureLog({ level: 'silent', format: 'json' });
    home = mkdtempSync(join(tmpdir(), 'millrace-administration-'));
    mkdirSync(join(home, 'conf'));
    writeFileSync(
      join(home, 'conf/deployment.toml'),
      '[super_admin]\nusername = "admin"\npassword = "admin-password"\n',
    );
  });
  after(() => {
    configureLog({ level: 'info', format: 'json' });
    rmSync(home, { recursive: true, force: true });
  });

  const run = async (line: string, input = ''): Promise<Outcome> => {
    const printed = { log: '', error: '' };
    const mocks = (['log', 'error'] as const).map((name) =>
      mock.method(console, name, (...parts: unknown[]) => void (printed[name] += `${parts.join(' ')}\n`)),
    );
    const stdin = Object.getOwnPropertyDescriptor(process, 'stdin');
    Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true });
    const before = process.exitCode;
    process.exitCode = 0;
    try {
      const code = (await runProgram([...line.split(' '), '--home', home, '--output', 'json'])) ?? process.exitCode;
      const parsed: unknown = printed.log.trim() === '' ? [] : JSON.parse(printed.log);
      const rows = Array.isArray(parsed) ? (parsed as Row[]) : [];
      const message = Array.isArray(parsed) ? undefined : (parsed as Row)['message'];
      return { code, rows, message, output: printed.log, errors: printed.error };
    } finally {
      process.exitCode = before;
      if (stdin) Object.defineProperty(process, 'stdin', stdin);
      for (const each of mocks) each.mock.restore();
    }
  };
  const good = async (line: string, input?: string): Promise<Outcome> => {
    const outcome = await run(line, input);
    assert.equal(outcome.code, 0, `${line}: ${outcome.errors}`);
    return outcome;
  };
  const bad = async (line: string, expected: RegExp, input?: string): Promise<void> => {
    const outcome = await run(line, input);
    assert.equal(outcome.code, 1, `${line}: ${outcome.output}`);
    assert.match(outcome.errors, expected);
    assert.equal(outcome.output, '', 'what went wrong is not among the results');
  };

  it('client: create, list, show, secret, deactivate, activate, delete', async () => {
    const [made] = (await good('client create shop --id shop --grants client_credentials,password --jwt')).rows;
    assert.match(String(made?.['secret']), /^\w{28}$/);
    await bad('client create shop --id other', /exists already in carbon\.super/);
    assert.deepEqual(
      (await good('client list')).rows.map(({ id, active }) => [id, active]),
      [['shop', true]],
    );
    const { message: stopped } = await good('client deactivate shop');
    assert.equal(stopped, 'shop is not active');
    assert.equal((await good('client show shop')).rows[0]?.['active'], false);
    await good('client activate shop');
    assert.equal((await good('client show shop')).rows[0]?.['active'], true);
    const [renewed] = (await good('client secret shop')).rows;
    assert.notEqual(renewed?.['secret'], made?.['secret']);
    assert.equal((await good('client show shop')).rows[0]?.['secret'], renewed?.['secret']);
    await good('client delete shop');
    await bad('client show shop', /There is no client "shop" in carbon\.super/);
  });

  it('user: create, list, show, roles, deactivate, activate, password, delete', async () => {
    await good('user create ada', 'a-password\n');
    await bad('user create ada', /ada/, 'a-password\n');
    await bad('user create grace', /password does not match/, 'abc\n');
    assert.deepEqual(
      (await good('user list')).rows.map(({ name }) => name),
      ['ada'],
    );
    await good('user deactivate ada');
    assert.equal((await good('user show ada')).rows[0]?.['blocked'], true);
    await good('user activate ada');
    assert.equal((await good('user show ada')).rows[0]?.['blocked'], false);
    await bad('user roles ada --add nothing', /nothing/);
    await good('user password ada', 'b-password\n');
    await good('user delete ada');
    await bad('user show ada', /There is no user "ada"/);
  });

  it('tenant: create with administrator, role and key, list, show, deactivate, activate, delete', async () => {
    await good('tenant create acme.com --admin boss --email boss@acme.com', 'boss-password\n');
    await bad('tenant create acme.com --email x@acme.com', /There is a tenant acme\.com already/, 'boss-password\n');
    await bad('tenant create acme --email x@acme.com', /Expected a domain such as example\.com/, 'boss-password\n');
    const [shown] = (await good('tenant show acme.com')).rows;
    assert.equal(shown?.['administrator'], 'boss@acme.com');
    assert.equal((await good('key list --tenant acme.com')).rows[0]?.['kid'], shown?.['key']);
    assert.match(String((await good('user show boss --tenant acme.com')).rows[0]?.['roles']), /admin/);
    await good('tenant deactivate acme.com');
    assert.equal((await good('tenant list')).rows[0]?.['active'], false);
    await good('tenant activate acme.com');
    assert.equal((await good('tenant list')).rows[0]?.['active'], true);
    await good('client create theirs --id theirs --tenant acme.com');
    await bad('client show theirs', /There is no client "theirs" in carbon\.super/);
    await good('tenant delete acme.com');
    assert.deepEqual((await good('tenant list')).rows, []);
    await bad('user list --tenant acme.com', /There is no tenant acme\.com/);
  });

  it('a tenant whose administrator cannot be made leaves nothing', async () => {
    await bad('tenant create half.com --email x@half.com', /password does not match/, 'abc\n');
    assert.deepEqual((await good('tenant list')).rows, []);
    await good('tenant create half.com --email x@half.com', 'good-password\n');
    await good('tenant delete half.com');
  });

  it('token: issue and revoke', async () => {
    await good('client create tokens --id tokens');
    const [issued] = (await good('token --client tokens --scope read')).rows;
    assert.equal(issued?.['scope'], 'read');
    const value = String(issued?.['access_token']);
    assert.equal((await good(`token --revoke ${value}`)).message, 'revoked a token of tokens');
    await bad(`token --revoke ${value}`, /There is no such token/);
    await bad('token --client nobody', /There is no client "nobody"/);
  });

  it('key: list, rotate, revoke', async () => {
    const [first] = (await good('key list')).rows;
    assert.equal(first?.['state'], 'current');
    const [next] = (await good('key rotate')).rows;
    assert.equal(next?.['state'], 'next');
    assert.deepEqual(
      (await good('key list')).rows.map(({ kid, state }) => [kid, state]),
      [
        [first?.['kid'], 'current'],
        [next?.['kid'], 'next'],
      ],
    );
    const [curve] = (await good('key rotate --algorithm ES256 --immediately')).rows;
    assert.deepEqual([curve?.['state'], curve?.['algorithm']], ['current', 'ES256']);
    await good(`key revoke ${String(first?.['kid'])}`);
    const left = (await good('key list')).rows;
    assert.ok(!left.some(({ kid }) => kid === first?.['kid']));
    assert.ok(left.some(({ algorithm, state }) => algorithm === 'RS256' && state === 'current'));
    await bad('key revoke nothing', /has no key nothing/);
  });

  it('wrong use has another exit code than what went wrong', async () => {
    assert.equal((await run('client show')).code, 2);
    assert.equal((await run('key rotate --algorithm HS256')).code, 2);
    assert.equal((await run('tenant create acme.com')).code, 2);
  });
});
