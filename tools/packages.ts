import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);

/** One package of the lock file that a release contains or may load. */
export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** The SPDX expression of its licence, as the package states it. */
  readonly licence: string;
  /** Its folder from the repository's root. */
  readonly folder: string;
  /** True for a package that exists once for each operating system. */
  readonly platform: boolean;
  /** True for a package that no release contains: it is loaded where it is installed. */
  readonly optional: boolean;
}

interface LockEntry {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
}

/** The packages of the lock file that are not only for development, by name. */
export function shippedPackages(): ShippedPackage[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockEntry>>;
  };
  return Object.entries(lock.packages)
    .filter(([folder, entry]) => folder !== '' && entry.dev !== true)
    .map(([folder, entry]) => ({
      name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version ?? '',
      licence: entry.license ?? 'none',
      folder,
      platform: entry.os !== undefined,
      optional: entry.optional === true && entry.os === undefined,
    }))
    .sort((left, right) => (left.name === right.name ? 0 : left.name < right.name ? -1 : 1));
}

/** The licence text that `shipped` carries in its folder, or undefined when it has none. */
export function licenceText(shipped: ShippedPackage): string | undefined {
  const folder = join(root, shipped.folder);
  const file = readdirSync(folder)
    .sort()
    .find((name) => /^licen[cs]e(\.(md|txt))?$/i.test(name));
  return file === undefined ? undefined : readFileSync(join(folder, file), 'utf8');
}

/** The author that `shipped` names, for licences that it states without a text. */
export function authorOf(shipped: ShippedPackage): string {
  const manifest = JSON.parse(readFileSync(join(root, shipped.folder, 'package.json'), 'utf8')) as {
    author?: string | { name?: string };
  };
  const { author } = manifest;
  const name = typeof author === 'string' ? author : author?.name;
  return name ?? `the authors of ${shipped.name}`;
}
