import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createHome } from './home.ts';
import { isInside, resolveInside } from './paths.ts';

const root = mkdtempSync(join(tmpdir(), 'millrace-paths-'));
after(() => rmSync(root, { recursive: true, force: true }));

describe('paths inside a directory', () => {
  const inner = join(root, 'inner');
  mkdirSync(join(inner, 'real'), { recursive: true });
  mkdirSync(join(root, 'outer'));
  writeFileSync(join(root, 'outer', 'secret'), '');
  symlinkSync(join(root, 'outer'), join(inner, 'out'));
  symlinkSync(join(root, 'outer', 'secret'), join(inner, 'leak'));
  symlinkSync(join(inner, 'real'), join(inner, 'alias'));

  it('resolves what lies inside, whether it exists or not', () => {
    for (const path of ['real', 'real/new/file.xml', 'alias/x', '', '.', 'a..b', '...']) {
      assert.ok(isInside(inner, resolveInside(inner, path)), path);
    }
  });

  it('refuses what would leave it', () => {
    for (const path of [
      '..',
      '../outer',
      'real/../../outer',
      'real/..',
      '/etc/passwd',
      'C:/x',
      'a\\..\\b',
      'a\u0000b',
      'out',
      'out/secret',
      'out/new',
      'leak',
    ]) {
      assert.throws(() => resolveInside(inner, path), { code: 'MR_PATH_ESCAPE', status: 400 }, path);
    }
  });

  it('does not take a neighbour with the same beginning for a child', () => {
    assert.equal(isInside('/a/b', '/a/bc'), false);
    assert.equal(isInside('/a/b', '/a/b/..c'), true);
  });
});

describe('home', () => {
  it('has one folder per purpose and reads the paths of the originals as aliases', () => {
    const directory = join(root, 'home');
    const home = createHome(directory);
    assert.equal(home.configuration, join(directory, 'conf/deployment.toml'));
    const rows: [string, string][] = [
      ['repository/resources/security/wso2carbon.jks', 'conf/security/wso2carbon.jks'],
      ['repository/conf/deployment.toml', 'conf/deployment.toml'],
      ['./repository/deployment/server/synapse-configs/default/api/A.xml', 'artifacts/api/A.xml'],
      ['repository/deployment/server/carbonapps', 'carbonapps'],
      ['repository/deployment/server/dataservices/D.dbs', 'dataservices/D.dbs'],
      ['repository/deployment/server/eventpublishers', 'eventpublishers'],
      ['repository/deployment/server/eventstreams', 'eventstreams'],
      ['repository/deployment/server/userstores/X.xml', 'userstores/X.xml'],
      ['repository/resources/securityother', 'repository/resources/securityother'],
      ['conf/security/a.p12', 'conf/security/a.p12'],
      ['templates/x', 'templates/x'],
      [`${directory}/repository/resources/security/a.jks`, 'conf/security/a.jks'],
    ];
    for (const [path, expected] of rows) assert.equal(home.resolve(path), join(directory, expected), path);
    assert.equal(home.resolve('/etc/ssl/a.pem'), '/etc/ssl/a.pem');
  });

  it('uses the folder of the originals when it exists only there', () => {
    const directory = join(root, 'original');
    const physical = join(directory, 'repository/deployment/server/synapse-configs/default');
    mkdirSync(physical, { recursive: true });
    const home = createHome(directory);
    assert.equal(home.artifacts, physical);
    assert.equal(home.resolve('artifacts/api'), join(physical, 'api'));
  });
});
