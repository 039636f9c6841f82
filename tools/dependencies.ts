import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { hasAcceptedTerms, isAllowedLicence } from './licences.ts';
import { shippedPackages } from './packages.ts';

/**
 * Checks what the project depends on: every shipped package has a licence that may be shipped, and
 * docs/dependencies.md has exactly one row for each dependency of package.json.
 */
const root = dirname(import.meta.dirname);
const complaints = [...licenceComplaints(), ...rowComplaints()];
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length > 0 ? 1 : 0;

function licenceComplaints(): string[] {
  return shippedPackages()
    .filter(({ name, licence, optional }) => !isAllowedLicence(licence) && !hasAcceptedTerms(name, optional))
    .map(({ folder, licence }) => `${folder}: the licence "${licence}" is not among those in tools/licences.ts`);
}

function rowComplaints(): string[] {
  const wanted = new Set(declaredDependencies());
  const text = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
  const rows = [...text.matchAll(/^\| `([^`]+)`/gm)].map((match) => match[1] ?? '');
  return [
    ...[...wanted].filter((name) => !rows.includes(name)).map((name) => `docs/dependencies.md has no row for ${name}`),
    ...rows
      .filter((name, index) => !wanted.has(name) || rows.indexOf(name) !== index)
      .map((name) => `docs/dependencies.md has a row too many for ${name}`),
  ];
}

function declaredDependencies(): string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Readonly<
    Record<string, Readonly<Record<string, string>> | undefined>
  >;
  const tables = ['dependencies', 'optionalDependencies', 'devDependencies'];
  return tables.flatMap((table) => Object.keys(manifest[table] ?? {}));
}
