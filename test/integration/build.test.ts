import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { startBackend } from '../../samples/quickstart/backend.ts';
import { freeOffset } from '../helpers/free-port.ts';
import { startProgram, waitForAnswer } from '../helpers/program.ts';
import { copyQuickstart } from '../helpers/quickstart-project.ts';
import { removeFolder } from '../helpers/temporary-files.ts';

const root = dirname(dirname(import.meta.dirname));
const skip = spawnSync('tar', ['--version']).error && 'needs tar';

let folder: string;
let release: string;
before(
  () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-build-'));
    if (skip) return;
    const out = join(folder, 'out');
    execFileSync(process.execPath, [join(root, 'tools/build.ts'), '--out', out], { stdio: 'pipe' });
    const archive = readdirSync(out).find((name) => name.endsWith('.tar.gz')) ?? '';
    const unpacked = join(folder, 'unpacked');
    mkdirSync(unpacked);
    execFileSync('tar', ['-C', unpacked, '-xzf', join(out, archive)]);
    rmSync(out, { recursive: true });
    release = join(unpacked, archive.slice(0, -'.tar.gz'.length));
  },
  { timeout: 240_000 },
);
after(() => removeFolder(folder));

test('an unpacked release serves a project without anything of the machine', { skip, timeout: 240_000 }, async () => {
  const backend = await startBackend(0);
  const offset = await freeOffset();
  const project = copyQuickstart(folder, backend.port);
  const args = ['run', project, '--offset', String(offset)];
  const program = startProgram(join(release, 'bin/millrace'), args, { env: {}, cwd: folder });
  try {
    const url = `http://127.0.0.1:${8280 + offset}/dictionary/w/weir`;
    const answer = await waitForAnswer(program, url, { milliseconds: 30_000 });
    assert.equal(((await answer.json()) as { entry: string }).entry, 'weir');
    await waitForAnswer(program, `http://127.0.0.1:${9201 + offset}/readyz`, { milliseconds: 30_000 });
  } finally {
    await backend.close();
    assert.equal(await program.stop(), 0, program.output());
  }
});

test('a release starts through a symbolic link and knows its version', { skip }, () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const link = join(folder, 'millrace');
  execFileSync('ln', ['-s', join(release, 'bin/millrace'), link]);
  const run = spawnSync(link, ['--version'], { env: {}, encoding: 'utf8' });
  assert.deepEqual([run.stdout.trim(), run.status], [version, 0], run.stderr);
});

test('a release carries its licences, samples, reference and service unit', { skip }, () => {
  const wanted = [
    'LICENSE',
    'LICENSE-node',
    'THIRD-PARTY-NOTICES',
    'docs/reference/configuration.md',
    'samples/quickstart/backend.ts',
    'share/millrace.service',
  ];
  assert.deepEqual(
    wanted.filter((path) => !existsSync(join(release, path))),
    [],
  );
});

const skipUnit =
  skip || (spawnSync('systemd-analyze', ['--version']).error && 'needs systemd-analyze (Debian package systemd)');

test('systemd accepts the service unit', { skip: skipUnit }, () => {
  const unit = join(folder, 'millrace.service');
  const text = readFileSync(join(release, 'share/millrace.service'), 'utf8');
  writeFileSync(unit, text.replaceAll('/opt/millrace/', `${release}/`));
  const run = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
  const complaints = run.stderr.split('\n').filter((line) => line.includes('millrace.service'));
  assert.deepEqual([complaints, run.status], [[], 0], run.stderr);
});
