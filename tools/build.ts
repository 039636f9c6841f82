import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { buildConsole } from '../web/build.ts';
import { findNode } from './toolchain.mjs';

/**
 * `npm run build [-- --out DIR] [-- --no-archive]`: makes a release in `dist/`: a folder
 * `millrace-<version>-<system>` with the bundled program, the Node that runs it, samples and reference, and a `.tar.gz`
 * of it. The release needs nothing of the machine.
 */
const root = dirname(import.meta.dirname);
const { values } = parseArgs({
  options: { out: { type: 'string' }, archive: { type: 'boolean', default: true } },
  allowNegative: true,
});

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const out = resolve(values.out ?? join(root, 'dist'));
const name = `${manifest.name}-${manifest.version}-${process.platform}-${process.arch}`;
const release = join(out, name);

/** What runs scripts, and what finds its binary. */
const nativePackages = ['isolated-vm', 'node-gyp-build'];

rmSync(release, { recursive: true, force: true });
mkdirSync(join(release, 'bin'), { recursive: true });
await bundle();
await buildConsole(join(release, 'web'));
copyFiles();
copyNativePackages();
copyNode();
console.log(`made ${relative(process.cwd(), release)}`);
if (values.archive) {
  const archive = `${release}.tar.gz`;
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name'];
  execFileSync('tar', [...owner, '-C', out, '-czf', archive, name], { stdio: 'inherit' });
  console.log(`made ${relative(process.cwd(), archive)}`);
}

/** One file for what every start needs, one for each part that is loaded when it is first used. */
async function bundle(): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: {
      main: 'src/cli/main.ts',
      'xslt-worker': 'src/xml/transform/worker.ts',
      'schema-worker': 'src/mediation/shared/schema-worker.ts',
      'checkpoint-worker': 'src/db/sqlite/checkpoint-worker.ts',
      'browse-process': 'src/db/sqlite/browse-process.ts',
    },
    outdir: join(release, 'lib'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    // Names stay as they are, so that a stack trace says something.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    // Drivers that few need are installed beside a release by those who need them; native code is copied as it is.
    external: [...Object.keys(manifest.optionalDependencies ?? {}), ...nativePackages],
    // CommonJS packages in the bundle ask for modules of Node by `require`.
    banner: {
      js: "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
}

function copyFiles(): void {
  cpSync(join(root, 'packaging/millrace'), join(release, 'bin/millrace'));
  chmodSync(join(release, 'bin/millrace'), 0o755);
  cpSync(join(root, 'packaging/launch.js'), join(release, 'lib/launch.js'));
  cpSync(join(root, 'packaging/millrace.service'), join(release, 'share/millrace.service'));
  for (const path of ['LICENSE', 'THIRD-PARTY-NOTICES', 'docs/reference', 'samples']) {
    cpSync(join(root, path), join(release, path), { recursive: true });
  }
  for (const test of globSync('samples/**/*.test.ts', { cwd: release })) rmSync(join(release, test));
  const { version, license } = manifest;
  const described = { name: manifest.name, version, license, private: true, type: 'module' };
  writeFileSync(join(release, 'package.json'), `${JSON.stringify(described, null, 2)}\n`);
}

/** Packages with native code go into the release as packages, with the binaries for its system only. */
function copyNativePackages(): void {
  const system = `${process.platform}-${process.arch}`;
  for (const name of nativePackages) {
    const from = join(root, 'node_modules', name);
    const to = join(release, 'lib/node_modules', name);
    for (const file of globSync('{package.json,LICENSE,*.js}', { cwd: from })) cpSync(join(from, file), join(to, file));
    const binaries = join('prebuilds', system);
    if (existsSync(join(from, binaries))) cpSync(join(from, binaries), join(to, binaries), { recursive: true });
  }
}

function copyNode(): void {
  const node = findNode();
  if (node === undefined) throw new Error('The Node of the project is not installed; run: npm ci --ignore-scripts');
  cpSync(node, join(release, 'node'), { dereference: true });
  chmodSync(join(release, 'node'), 0o755);
  const licence = join(dirname(dirname(node)), 'LICENSE');
  if (!existsSync(licence)) throw new Error(`There is no licence of Node at ${licence}`);
  cpSync(licence, join(release, 'LICENSE-node'));
}
