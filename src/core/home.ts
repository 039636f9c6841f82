import { statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isInside } from './paths.ts';

/** Each folder of a home and where the originals keep it; the first name is ours. */
const folders = {
  conf: ['conf', 'repository/conf'],
  security: ['conf/security', 'repository/resources/security'],
  artifacts: ['artifacts', 'repository/deployment/server/synapse-configs/default'],
  carbonapps: ['carbonapps', 'repository/deployment/server/carbonapps'],
  connectors: ['connectors', 'repository/deployment/server/synapse-libs'],
  dataservices: ['dataservices', 'repository/deployment/server/dataservices'],
  eventpublishers: ['eventpublishers', 'repository/deployment/server/eventpublishers'],
  eventstreams: ['eventstreams', 'repository/deployment/server/eventstreams'],
  userstores: ['userstores', 'repository/deployment/server/userstores'],
  registry: ['registry', 'repository/registry'],
  extensions: ['extensions', 'repository/components/extensions'],
  data: ['data', 'repository/database'],
  logs: ['logs', 'repository/logs'],
} as const;

export type HomeFolder = keyof typeof folders;

/** The directory in which a server lives, as absolute paths. */
export interface Home extends Readonly<Record<HomeFolder, string>> {
  readonly directory: string;
  /** `conf/deployment.toml`. */
  readonly configuration: string;
  /**
   * The absolute path of a path that a configuration or artifact names: relative ones belong to the home, the
   * originals' paths below `repository/` lead to the home's own folders, other absolute ones stay as they are. A
   * trusted path: use `resolveInside` for one that comes from a message.
   */
  resolve(path: string): string;
}

/**
 * Describes the home at `directory`, which need not exist. A folder is where the originals keep it when it exists
 * only there.
 */
export function createHome(directory: string): Home {
  const root = resolve(directory);
  const places = Object.fromEntries(
    Object.entries(folders).map(([name, [own, alias]]) => [name, placeOf(root, own, alias)]),
  ) as Record<HomeFolder, string>;
  return {
    ...places,
    directory: root,
    configuration: join(places.conf, 'deployment.toml'),
    resolve: (path) => resolveAlias(root, places, path),
  };
}

function placeOf(root: string, own: string, alias: string): string {
  const ownPlace = join(root, own);
  const aliasPlace = join(root, alias);
  return !isDirectory(ownPlace) && isDirectory(aliasPlace) ? aliasPlace : ownPlace;
}

function resolveAlias(root: string, places: Readonly<Record<HomeFolder, string>>, path: string): string {
  const absolute = resolve(root, path);
  if (isAbsolute(path) && !isInside(root, absolute)) return absolute;
  const way = relative(root, absolute).split(sep).join('/');
  for (const [name, [own, alias]] of longestFirst) {
    for (const prefix of [alias, own]) {
      if (way === prefix || way.startsWith(`${prefix}/`)) {
        return join(places[name], way.slice(prefix.length));
      }
    }
  }
  return absolute;
}

/** `conf/security` must be recognised before `conf`. */
const longestFirst = (Object.entries(folders) as [HomeFolder, readonly [string, string]][]).sort(
  ([, left], [, right]) => right[0].length - left[0].length,
);

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
