import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveInside, type Clock } from '#core';
import { MillraceError } from '#errors';
import { propertiesOf } from './properties-file.ts';
import { createRegistryHandlers, type RegistryHandlers } from './registry-handlers.ts';
import { mediaTypeOfName, registryMediaTypeOf } from './registry-media-type.ts';

/** A directory that holds a part of the registry's tree. */
export interface RegistryRoot {
  /** Absolute registry path that the directory stands for, such as `/_system/governance`. */
  readonly mount: string;
  readonly directory: string;
}

/** A resource that came inside an archive. */
export interface PackedResource {
  /** Absolute registry path. */
  readonly path: string;
  readonly content: Uint8Array;
  readonly properties: ReadonlyMap<string, string>;
}

export interface RegistryOptions {
  readonly roots: readonly RegistryRoot[];
  readonly packed: readonly PackedResource[];
  readonly clock: Clock;
  /** Milliseconds for which a resource is kept before its file is looked at again; 0 looks every time. */
  readonly cacheDuration: number;
  /** What stands around every operation; absent where the configuration has no handlers. */
  readonly handlers?: RegistryHandlers | undefined;
}

/** Texts and properties by registry key (runtime-core 1.4). */
export interface Registry {
  /** The text of a resource; undefined when there is none. @throws MillraceError for a key that leaves its root */
  read(key: string): string | undefined;
  property(key: string, name: string): string | undefined;
  /** Writes a resource as text, or a property of one. */
  write(key: string, property: string | undefined, value: string): void;
}

const mounts = { config: '/_system/config', governance: '/_system/governance', local: '/_system/local' };

/**
 * The absolute registry path of a key: `conf:`, `gov:`, `local:` and `resources:` prefixes, absolute paths as they
 * are, anything else below the governance root.
 */
export function registryPathOf(key: string): string {
  const match = /^(conf|gov|local|resources):\/?(.*)$/s.exec(key);
  const rest = match?.[2] ?? '';
  switch (match?.[1]) {
    case 'conf':
      return `${mounts.config}/${rest}`;
    case 'gov':
      return `${mounts.governance}/${rest}`;
    case 'local':
      return `${mounts.local}/${rest}`;
    case 'resources':
      return `${mounts.governance}/mi-resources/${rest}`;
    default:
      return key.startsWith('/_system/') ? key : `${mounts.governance}/${key.replace(/^\//, '')}`;
  }
}

export function createRegistry(options: RegistryOptions): Registry {
  const packed = new Map(options.packed.map((resource) => [resource.path, resource]));
  const handlers = options.handlers ?? createRegistryHandlers([]);
  const cache = new Map<string, { readonly text: string | undefined; readonly until: number }>();

  const load = (key: string): string | undefined => {
    if (key.startsWith('file:')) return readIfPresent(key.startsWith('file://') ? fileURLToPath(key) : key.slice(5));
    if (/^https?:/.test(key)) throw remoteRefused(key);
    const path = registryPathOf(key);
    const file = filesFor(options.roots, path).find((candidate) => isFile(candidate));
    const mediaType = file === undefined ? mediaTypeOfName(path) : registryMediaTypeOf(file);
    const content = handlers.run({ operation: 'GET', path, mediaType }, () =>
      file === undefined ? packed.get(path)?.content : readFileSync(file),
    );
    return content && Buffer.from(content).toString('utf8');
  };

  return {
    read(key) {
      const now = options.clock.monotonic();
      const known = cache.get(key);
      if (known && known.until > now) return known.text;
      const text = load(key);
      cache.set(key, { text, until: now + options.cacheDuration });
      return text;
    },
    property(key, name) {
      const path = registryPathOf(key);
      for (const file of filesFor(options.roots, path)) {
        const sidecar = isDirectory(file) ? join(file, `${basename(file)}.properties`) : `${file}.properties`;
        const value = propertiesOf(readIfPresent(sidecar) ?? '').get(name);
        if (value !== undefined) return value;
      }
      return packed.get(path)?.properties.get(name);
    },
    write(key, property, value) {
      const path = registryPathOf(key);
      const [file] = filesFor(options.roots, path);
      if (file === undefined) {
        throw new MillraceError({ code: 'MR_REGISTRY_READ_ONLY', message: `There is no registry folder for ${key}` });
      }
      const content = property === undefined ? Buffer.from(value) : undefined;
      const request = { operation: 'PUT', path, mediaType: registryMediaTypeOf(file), content, property } as const;
      handlers.run(request, (asked) => {
        mkdirSync(dirname(file), { recursive: true });
        if (property === undefined) writeFileSync(file, asked.content ?? '');
        else writeProperty(file, property, value);
        return undefined;
      });
      cache.delete(key);
    },
  };
}

function writeProperty(file: string, name: string, value: string): void {
  const properties = propertiesOf(readIfPresent(`${file}.properties`) ?? '');
  properties.set(name, value);
  if (readIfPresent(file) === undefined) writeFileSync(file, '');
  writeFileSync(`${file}.properties`, [...properties].map(([each, text]) => `${each}=${text}\n`).join(''));
}

/** Files that may hold the resource at a registry path, in the order of the roots. */
function filesFor(roots: readonly RegistryRoot[], path: string): string[] {
  return roots
    .filter(({ mount }) => path === mount || path.startsWith(`${mount}/`))
    .sort((left, right) => right.mount.length - left.mount.length)
    .map(({ mount, directory }) => resolveInside(directory, path.slice(mount.length).replace(/^\/+/, '')));
}

function readIfPresent(file: string): string | undefined {
  return isFile(file) ? readFileSync(file, 'utf8') : undefined;
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isDirectory(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function remoteRefused(key: string): MillraceError {
  return new MillraceError({
    code: 'MR_REGISTRY_REMOTE',
    message: `The resource ${key} is not fetched: resources come from the registry, archives and files`,
  });
}
