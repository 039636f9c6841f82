import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = import.meta.dirname;

/** Where builds are kept for runs from the sources, one folder for each state of them. */
const cache = join(root, '../node_modules/.cache/millrace-web');

/** The folder of the built console, which is built when the sources have changed since the last time. */
export async function buildOnce(): Promise<string> {
  const folder = join(cacheFolder(), sourceHash());
  if (existsSync(join(folder, 'index.html'))) return folder;
  mkdirSync(cacheFolder(), { recursive: true });
  // Two processes may build at the same time: each does so beside, and the first one to finish counts.
  const beside = mkdtempSync(join(cacheFolder(), 'build-'));
  await buildConsole(beside);
  try {
    renameSync(beside, folder);
  } catch (error) {
    if (!existsSync(join(folder, 'index.html'))) throw error;
    rmSync(beside, { recursive: true, force: true });
  }
  return folder;
}

/** Builds the console into `out`: one page, and scripts and styles named by their content, compressed beside. */
export async function buildConsole(out: string): Promise<void> {
  const { build } = await import('esbuild');
  const assets = join(out, 'assets');
  const result = await build({
    entryPoints: [join(root, 'src/main.tsx')],
    outdir: assets,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2023',
    jsx: 'automatic',
    minify: true,
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    logLevel: 'warning',
  });
  const entry = Object.entries(result.metafile.outputs).find(([, { entryPoint }]) => entryPoint?.endsWith('main.tsx'));
  if (!entry) throw new Error('The console has no entry');
  const [script, { cssBundle }] = entry;
  const page = readFileSync(join(root, 'index.html'), 'utf8')
    .replace('%SCRIPT%', `/assets/${basename(script)}`)
    .replace('%STYLE%', `/assets/${basename(cssBundle ?? '')}`);
  for (const name of globSync('*.{js,css}', { cwd: assets })) {
    const bytes = readFileSync(join(assets, name));
    writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes, quality));
  }
  writeFileSync(join(out, 'index.html'), page);
}

function cacheFolder(): string {
  return existsSync(join(root, '../node_modules')) ? cache : join(tmpdir(), 'millrace-web');
}

function sourceHash(): string {
  const hash = createHash('sha256');
  for (const file of globSync(['src/**/*.{ts,tsx,css}', 'index.html', 'build.ts'], { cwd: root }).sort()) {
    hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
