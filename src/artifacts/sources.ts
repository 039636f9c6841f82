import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { createHome } from '#core';
import type { Problem } from '#errors';
import { orderApplications } from './car-order.ts';
import { readApplications, type Application } from './car.ts';
import { readConnector } from './connectors.ts';
import type { PackedResource, RegistryRoot } from './registry.ts';

/** The text of one artifact file, with the name under which messages speak of it. */
export interface ArtifactFile {
  readonly file: string;
  readonly text: string;
  /** The archive that brought it; its artifacts are deployed together or not at all. */
  readonly application?: string;
  /** For the template of a connector's operation: whose it is. */
  readonly connector?: ConnectorPart;
}

/** An operation of a connector and the template that runs it. */
export interface ConnectorPart {
  readonly name: string;
  /** As an import names it: `{package}name`. */
  readonly id: string;
  readonly operation: string;
  readonly template: string;
  /** True when no import has to turn the connector on. */
  readonly isImported: boolean;
}

/** Everything that a place brings: artifact files in deployment order, resources, API definitions, what is wrong. */
export interface SourceSet {
  readonly files: readonly ArtifactFile[];
  readonly packed: readonly PackedResource[];
  readonly roots: readonly RegistryRoot[];
  /** OpenAPI documents by their artifact name, such as `Orders_swagger`. */
  readonly definitions: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
}

/** Where artifacts are looked for. */
export interface SourcePlaces {
  /** Directories that are searched for artifact files, with everything below them. */
  readonly directories: readonly string[];
  /** Single artifact files and archives. */
  readonly files: readonly string[];
  /** Directories of `.car` files. */
  readonly applications: readonly string[];
  readonly roots: readonly RegistryRoot[];
}

/** Files of a configuration directory that are no artifacts. */
const otherFiles = new Set(['pom.xml', 'artifact.xml', 'artifacts.xml', 'registry-info.xml']);

/** Folders of a project's `src/main` with artifacts or connectors. */
const projectFolders = ['wso2mi/artifacts', 'wso2mi/resources/connectors', 'synapse-config'];

/** Finds the places below `path`: a home, a project of either layout, a folder of artifacts, an archive, one file. */
export function findPlaces(path: string): SourcePlaces {
  if (!statSync(path).isDirectory()) {
    return { directories: [], files: [path], applications: [], roots: [] };
  }
  const project = projectRoots(path);
  if (project.length > 0) {
    return {
      directories: project.flatMap((root) => existing(root, projectFolders)),
      files: [],
      applications: [],
      roots: project.flatMap(registryRootsOf),
    };
  }
  const home = createHome(path);
  const own = [home.artifacts, home.dataservices, home.connectors].filter((folder) => existsSync(folder));
  const carbonapps = existsSync(home.carbonapps) ? [home.carbonapps] : [];
  const isHome = own.length + carbonapps.length > 0;
  return {
    directories: isHome ? own : [path],
    files: [],
    applications: isHome ? carbonapps : [path],
    roots: registryRootsOf(path),
  };
}

/** `src/main` folders of the project at `path`, or of the modules one and two levels below it. */
function projectRoots(path: string): string[] {
  const candidates = [path, ...subdirectories(path), ...subdirectories(path).flatMap(subdirectories)];
  return candidates
    .map((candidate) => join(candidate, 'src/main'))
    .filter((root) => existing(root, ['wso2mi/artifacts', 'synapse-config']).length > 0);
}

/** The registry folders of a home or a project's `src/main`, with the paths for which they stand (runtime-core 1.4, 1.9). */
export function registryRootsOf(path: string): RegistryRoot[] {
  const table = [
    ['registry/governance', '/_system/governance'],
    ['registry/config', '/_system/config'],
    ['registry/local', '/_system/local'],
    ['wso2mi/resources/registry/gov', '/_system/governance'],
    ['wso2mi/resources/registry/conf', '/_system/config'],
    ['wso2mi/resources', '/_system/governance/mi-resources'],
  ] as const;
  return table
    .map(([folder, mount]) => ({ mount, directory: join(path, folder) }))
    .filter(({ directory }) => existsSync(directory));
}

/** What stands at the places, before anything is left out. */
export interface Sources {
  readonly loose: readonly ArtifactFile[];
  readonly applications: readonly Application[];
  readonly roots: readonly RegistryRoot[];
}

/** Reads everything at the places. What is wrong with an archive is among its problems. */
export async function readSources(places: SourcePlaces): Promise<Sources> {
  const found = [...places.directories.flatMap(filesBelow), ...places.files];
  const cars = [...places.applications.flatMap(carsIn), ...places.files.filter((file) => extname(file) === '.car')];
  const loose = found
    .filter((file) => extname(file) === '.xml' || extname(file) === '.dbs')
    .map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const applications = await Promise.all([...new Set(cars)].map((car) => readApplications(car)));
  const connectors = await Promise.all(
    found.filter((file) => extname(file) === '.zip').map((file) => readConnector(file)),
  );
  return { loose, applications: [...applications.flat(), ...connectors], roots: places.roots };
}

/** Puts sources into deployment order; applications that cannot be deployed are left out with a problem. */
export function assembleSources({ loose, applications, roots }: Sources): SourceSet {
  const ordered = orderApplications(applications.filter(({ isConnector }) => !isConnector));
  const sets = [...applications.filter(({ isConnector }) => isConnector), ...ordered.applications];
  return {
    files: [...sets.flatMap((set) => set.files), ...loose],
    packed: sets.flatMap((set) => set.packed),
    roots,
    definitions: new Map(sets.flatMap((set) => [...set.definitions])),
    problems: [...ordered.problems, ...applications.flatMap((application) => application.problems)],
  };
}

/** Folders of a home whose files are no artifacts. */
const foreignFolders: ReadonlySet<string> = new Set([
  'registry',
  'conf',
  'eventpublishers',
  'eventstreams',
  'userstores',
]);

function filesBelow(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true })
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.name.startsWith('.') || entry.name === 'node_modules') return [];
      if (entry.isDirectory()) return foreignFolders.has(entry.name) ? [] : filesBelow(path);
      return ['.xml', '.dbs', '.zip'].includes(extname(entry.name)) && !otherFiles.has(entry.name) ? [path] : [];
    });
}

function carsIn(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => extname(name) === '.car')
    .sort()
    .map((name) => join(directory, name));
}

function subdirectories(path: string): string[] {
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map((entry) => join(path, entry.name));
}

function existing(root: string, folders: readonly string[]): string[] {
  return folders.map((folder) => join(root, folder)).filter((folder) => existsSync(folder));
}
