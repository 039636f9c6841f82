import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import process from 'node:process';

/** The areas of `src`, lowest first: an area may import the areas above its own line, through their index only. */
const layers: readonly string[] = [
  'errors',
  'core',
  'keystore',
  'config',
  'db',
  'clients',
  'events',
  'xml',
  'json',
  'expression',
  'message',
  'transport',
  'rest',
  'mediation',
  'artifacts',
  'entry',
  'api',
  'proxy',
  'inbound',
  'unit-test',
  'identity',
  'gateway',
  'apim',
  'notify',
  'management',
  'dashboard',
  'server',
  'cli',
];

/** Pairs that the order would allow but the design forbids. */
const forbidden: readonly (readonly [importer: string, imported: string])[] = [
  ['identity', 'mediation'],
  ['identity', 'artifacts'],
  ['identity', 'api'],
  ['gateway', 'identity'],
  ['notify', 'identity'],
  ['dashboard', 'management'],
];

/** Packages that only one folder may import, so that what stands behind a contract can be replaced. */
const confined: readonly (readonly [specifier: RegExp, folder: string])[] = [
  [/^node:https?2?$/, 'src/transport/http/'],
  [/^node:sqlite$/, 'src/db/'],
  [/^hono($|\/)|^@hono\//, 'src/rest/'],
];

const root = dirname(import.meta.dirname);
const complaints = globSync('src/**/*.ts', { cwd: root }).flatMap((file) => complaintsAbout(file));
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length > 0 ? 1 : 0;

function complaintsAbout(file: string): string[] {
  const area = file.split('/')[1] ?? '';
  const own = layers.indexOf(area);
  if (own < 0) return [`${file}: the area "${area}" is not in the list of layers`];
  const isTest = file.endsWith('.test.ts');
  return importsOf(file).flatMap(({ specifier, line }) => {
    const place = `${file}:${line}`;
    const confinement = confined.find(([pattern]) => pattern.test(specifier));
    if (confinement && !isTest && !file.startsWith(confinement[1])) {
      return [`${place}: ${specifier} may be imported only in ${confinement[1]}`];
    }
    const target = areaOf(file, specifier);
    if (target === undefined || target.area === area || isTest) return [];
    const other = layers.indexOf(target.area);
    if (other < 0) return [`${place}: unknown area "${target.area}"`];
    if (!target.byIndex) return [`${place}: ${specifier} enters another area past its index.ts`];
    const isForbidden = forbidden.some(([importer, imported]) => importer === area && imported === target.area);
    return other > own || isForbidden ? [`${place}: ${area} may not import ${target.area}`] : [];
  });
}

function importsOf(file: string): { specifier: string; line: number }[] {
  const text = readFileSync(join(root, file), 'utf8');
  const pattern =
    /(?:^|\n)\s*(?:import|export)\b[^'"\n;]*?(?:\{[^}]*\}[^'"\n;]*?)?from\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;
  return [...text.matchAll(pattern)].map((match) => ({
    specifier: match[1] ?? match[2] ?? '',
    line: text.slice(0, match.index + 1).split('\n').length,
  }));
}

function areaOf(file: string, specifier: string): { area: string; byIndex: boolean } | undefined {
  if (specifier.startsWith('#')) return { area: specifier.slice(1).split('/')[0] ?? '', byIndex: true };
  if (!specifier.startsWith('.')) return undefined;
  const target = relative(root, join(root, dirname(file), specifier));
  if (!target.startsWith('src/')) return undefined;
  return { area: target.split('/')[1] ?? '', byIndex: target.endsWith('/index.ts') };
}
