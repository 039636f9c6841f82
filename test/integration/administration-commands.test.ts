import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, before, describe, it } from 'node:test';

const projectRoot = join(import.meta.dirname, '../..');
type Row = Readonly<Record<string, unknown>>;

/** What became of a command: its exit code, its rows as JSON, and what it wrote to either stream. */
interface Outcome {
  readonly code: number | null;
  readonly rows: readonly Row[];
  readonly message: unknown;
  readonly output: string;
  readonly errors: string;
}

describe('the commands that administer a home', () => {
  let home = '';
  before(() => {
    home = mkdtempSync(join(tmpdir(), 'millrace-administration-'));
    mkdirSync(join(home, 'conf'));
    writeFileSync(
      join(home, 'conf/deployment.toml'),
      '[super_admin]\nusername = "admin"\npassword = "admin-password"\n',
    );
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  const run = (line: string, input = ''): Outcome => {
    const words = [join(projectRoot, 'src/cli/main.ts'), ...line.split(' '), '--home', home, '--output', 'json'];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      cwd: projectRoot,
      input,
      encoding: 'utf8',
    });
    const parsed: unknown = stdout.trim() === '' ? [] : JSON.parse(stdout);
    const rows = Array.isArray(parsed) ? (parsed as Row[]) : [];
    const message = Array.isArray(parsed) ? undefined : (parsed as Row)['message'];
    return { code: status, rows, message, output: stdout, errors: stderr };
  };
  const good = (line: string, input?: string): Outcome => {
    const outcome = run(line, input);
    assert.equal(outcome.code, 0, `${line}: ${outcome.errors}`);
    return outcome;
  };
  const bad = (line: string, expected: RegExp, input?: string): void => {
    const outcome = run(line, input);
    assert.equal(outcome.code, 1, `${line}: ${outcome.output}`);
    assert.match(outcome.errors, expected);
    assert.equal(outcome.output, '', 'what went wrong is not among the results');
  };

  it('client: create, list, show, secret, deactivate, activate, delete', () => {
    const [made] = good('client create shop --id shop --grants client_credentials,password --jwt').rows;
    assert.match(String(made?.['secret']), /^\w{28}$/);
    bad('client create shop --id other', /exists already in carbon\.super/);
    assert.deepEqual(
      good('client list').rows.map(({ id, active }) => [id, active]),
      [['shop', true]],
    );
    const { message: stopped } = good('client deactivate shop');
    assert.equal(stopped, 'shop is not active');
    assert.equal(good('client show shop').rows[0]?.['active'], false);
    good('client activate shop');
    assert.equal(good('client show shop').rows[0]?.['active'], true);
    const [renewed] = good('client secret shop').rows;
    assert.notEqual(renewed?.['secret'], made?.['secret']);
    assert.equal(good('client show shop').rows[0]?.['secret'], renewed?.['secret']);
    good('client delete shop');
    bad('client show shop', /There is no client "shop" in carbon\.super/);
  });

  it('user: create, list, show, roles, deactivate, activate, password, delete', () => {
    good('user create ada', 'a-password\n');
    bad('user create ada', /ada/, 'a-password\n');
    bad('user create grace', /password does not match/, 'abc\n');
    assert.deepEqual(
      good('user list').rows.map(({ name }) => name),
      ['ada'],
    );
    good('user deactivate ada');
    assert.equal(good('user show ada').rows[0]?.['blocked'], true);
    good('user activate ada');
    assert.equal(good('user show ada').rows[0]?.['blocked'], false);
    bad('user roles ada --add nothing', /nothing/);
    good('user password ada', 'b-password\n');
    good('user delete ada');
    bad('user show ada', /There is no user "ada"/);
  });

  it('tenant: create with administrator, role and key, list, show, deactivate, activate, delete', () => {
    good('tenant create acme.com --admin boss --email boss@acme.com', 'boss-password\n');
    bad('tenant create acme.com --email x@acme.com', /There is a tenant acme\.com already/, 'boss-password\n');
    bad('tenant create acme --email x@acme.com', /Expected a domain such as example\.com/, 'boss-password\n');
    const [shown] = good('tenant show acme.com').rows;
    assert.equal(shown?.['administrator'], 'boss@acme.com');
    assert.equal(good('key list --tenant acme.com').rows[0]?.['kid'], shown?.['key']);
    assert.match(String(good('user show boss --tenant acme.com').rows[0]?.['roles']), /admin/);
    good('tenant deactivate acme.com');
    assert.equal(good('tenant list').rows[0]?.['active'], false);
    good('tenant activate acme.com');
    assert.equal(good('tenant list').rows[0]?.['active'], true);
    good('client create theirs --id theirs --tenant acme.com');
    bad('client show theirs', /There is no client "theirs" in carbon\.super/);
    good('tenant delete acme.com');
    assert.deepEqual(good('tenant list').rows, []);
    bad('user list --tenant acme.com', /There is no tenant acme\.com/);
  });

  it('a tenant whose administrator cannot be made leaves nothing', () => {
    bad('tenant create half.com --email x@half.com', /password does not match/, 'abc\n');
    assert.deepEqual(good('tenant list').rows, []);
    good('tenant create half.com --email x@half.com', 'good-password\n');
    good('tenant delete half.com');
  });

  it('token: issue and revoke', () => {
    good('client create tokens --id tokens');
    const [issued] = good('token --client tokens --scope read').rows;
    assert.equal(issued?.['scope'], 'read');
    const value = String(issued?.['access_token']);
    assert.equal(good(`token --revoke ${value}`).message, 'revoked a token of tokens');
    bad(`token --revoke ${value}`, /There is no such token/);
    bad('token --client nobody', /There is no client "nobody"/);
  });

  it('key: list, rotate, revoke', () => {
    const [first] = good('key list').rows;
    assert.equal(first?.['state'], 'current');
    const [next] = good('key rotate').rows;
    assert.equal(next?.['state'], 'next');
    assert.deepEqual(
      good('key list').rows.map(({ kid, state }) => [kid, state]),
      [
        [first?.['kid'], 'current'],
        [next?.['kid'], 'next'],
      ],
    );
    const [curve] = good('key rotate --algorithm ES256 --immediately').rows;
    assert.deepEqual([curve?.['state'], curve?.['algorithm']], ['current', 'ES256']);
    good(`key revoke ${String(first?.['kid'])}`);
    const left = good('key list').rows;
    assert.ok(!left.some(({ kid }) => kid === first?.['kid']));
    assert.ok(left.some(({ algorithm, state }) => algorithm === 'RS256' && state === 'current'));
    bad('key revoke nothing', /has no key nothing/);
  });

  it('wrong use has another exit code than what went wrong', () => {
    assert.equal(run('client show').code, 2);
    assert.equal(run('key rotate --algorithm HS256').code, 2);
    assert.equal(run('tenant create acme.com').code, 2);
  });
});
