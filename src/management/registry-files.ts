import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  propertiesOf,
  registryMediaTypeOf,
  registryMetadataFile,
  type RegistryHandlers,
  type RegistryOperation,
  type RegistryRequest,
} from '#artifacts';
import { resolveInside, type Home } from '#core';
import { refusal } from './conventions.ts';

/** The parts of the registry that may be written. */
const writable = ['config', 'governance', 'local'];

/** A folder or file of the registry with all that is below it. */
export interface RegistryNode {
  readonly name: string;
  readonly type: 'folder' | 'file';
  readonly files: readonly RegistryNode[];
}

/** The registry of a home as files: paths begin with `registry/` (management 1.7). */
export interface RegistryFiles {
  list(path: string): readonly { readonly name: string; readonly mediaType: string; readonly properties: Properties }[];
  tree(path: string, searchKey: string | undefined): RegistryNode;
  read(path: string): { readonly bytes: Uint8Array; readonly mediaType: string };
  mediaType(path: string): string;
  create(path: string, content: Uint8Array, mediaType: string): void;
  replace(path: string, content: Uint8Array): void;
  remove(path: string): void;
  properties(path: string): Properties;
  setProperties(path: string, properties: Properties): void;
  removeProperty(path: string, name: string): void;
}

type Properties = readonly { readonly name: string; readonly value: string }[];

/**
 * Opens the registry of a home. Every path is confined to it; what is wrong with one is a `MillraceError` (400, 404).
 * Contents are read and changed through the handlers.
 */
export function openRegistryFiles(home: Home, handlers: RegistryHandlers): RegistryFiles {
  const fileOf = (path: string): string => {
    const clean = path.replace(/^\/+|\/+$/g, '');
    if (clean !== 'registry' && !clean.startsWith('registry/')) {
      throw refusal(400, `The path must begin with registry/; found "${path}"`);
    }
    return resolveInside(home.registry, clean.slice('registry/'.length));
  };
  const existing = (path: string): string => {
    const file = fileOf(path);
    if (!existsSync(file)) throw refusal(404, `There is nothing at ${path}`);
    return file;
  };
  const forWriting = (path: string): string => {
    const file = fileOf(path);
    const [, part, ...rest] = path.replace(/^\/+|\/+$/g, '').split('/');
    if (!writable.includes(part ?? '') || rest.length === 0) {
      throw refusal(400, `Only what is below registry/${writable.join(', registry/')} can be changed; found "${path}"`);
    }
    if (isSidecar(basename(file)))
      throw refusal(400, `"${basename(file)}" is kept beside a resource and is none itself`);
    return file;
  };
  const resourceForWriting = (path: string): string => {
    const file = forWriting(path);
    if (!existsSync(file)) throw refusal(400, `There is nothing at ${path}`);
    return file;
  };

  const requestFor = (
    operation: RegistryOperation,
    path: string,
    more: Partial<RegistryRequest> = {},
  ): RegistryRequest => {
    const file = fileOf(path);
    const place = `/_system/${path.replace(/^\/+|\/+$/g, '').slice('registry/'.length)}`;
    return { operation, path: place, mediaType: registryMediaTypeOf(file), ...more };
  };
  const store = (request: RegistryRequest, change: (content: Uint8Array) => void): void => {
    handlers.run(request, ({ content }) => {
      change(content ?? new Uint8Array());
      return undefined;
    });
  };

  const writeProperties = (file: string, properties: Properties): void => {
    const text = properties.map(({ name, value }) => `${name}=${value.replaceAll(/[\r\n]+/g, ' ')}\n`).join('');
    writeFileSync(`${file}.properties`, text);
  };

  return {
    list: (path) =>
      entriesOf(existing(path)).map(({ file, name }) => ({
        name,
        mediaType: registryMediaTypeOf(file),
        properties: readProperties(file),
      })),
    tree: (path, searchKey) => treeOf(existing(path), basename(path), searchKey?.toLowerCase()),
    read(path) {
      const file = existing(path);
      if (statSync(file).isDirectory()) throw refusal(400, `${path} is a folder`);
      const bytes = handlers.run(requestFor('GET', path), () => readFileSync(file));
      if (bytes === undefined) throw refusal(404, `There is nothing at ${path}`);
      return { bytes, mediaType: registryMediaTypeOf(file) };
    },
    mediaType: (path) => registryMediaTypeOf(existing(path)),
    create(path, content, mediaType) {
      const file = forWriting(path);
      if (existsSync(file)) throw refusal(400, `There is something at ${path} already`);
      const type = mediaType.replaceAll(/[\r\n]/g, '');
      store(requestFor('PUT', path, { content, mediaType: type.split(';', 1)[0]?.trim() ?? '' }), (accepted) => {
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, accepted);
        const sidecar = registryMetadataFile(file);
        mkdirSync(dirname(sidecar), { recursive: true });
        writeFileSync(sidecar, `mediaType=${type}\n`);
      });
    },
    replace(path, content) {
      const file = resourceForWriting(path);
      if (statSync(file).isDirectory()) throw refusal(400, `${path} is a folder`);
      store(requestFor('PUT', path, { content }), (accepted) => writeFileSync(file, accepted));
    },
    remove(path) {
      const file = resourceForWriting(path);
      store(requestFor('DELETE', path), () => {
        for (const each of [file, `${file}.properties`, registryMetadataFile(file)])
          rmSync(each, { recursive: true, force: true });
      });
    },
    properties: (path) => readProperties(existing(path)),
    setProperties(path, properties) {
      const file = resourceForWriting(path);
      const merged = new Map(readProperties(file).map(({ name, value }) => [name, value]));
      for (const { name, value } of properties) {
        if (!/^[^#!=:\s]+$/.test(name)) throw refusal(400, `"${name}" cannot be the name of a property`);
        merged.set(name, value);
      }
      const write = (): void => writeProperties(file, nameValues(merged));
      const each = properties.map(({ name }) => requestFor('PUT', path, { property: name }));
      each.reduceRight((next, request) => () => store(request, next), write)();
    },
    removeProperty(path, name) {
      const file = resourceForWriting(path);
      const before = readProperties(file);
      const after = before.filter((property) => property.name !== name);
      if (after.length === before.length) throw refusal(400, `${path} has no property "${name}"`);
      store(requestFor('DELETE', path, { property: name }), () => writeProperties(file, after));
    },
  };
}

function nameValues(values: ReadonlyMap<string, string>): Properties {
  return [...values].map(([name, value]) => ({ name, value }));
}

function isSidecar(name: string): boolean {
  return name === '.metadata' || name.endsWith('.properties') || name.endsWith('.meta');
}

function entriesOf(folder: string): { file: string; name: string }[] {
  if (!statSync(folder).isDirectory()) return [];
  return readdirSync(folder)
    .filter((name) => !isSidecar(name))
    .sort()
    .map((name) => ({ name, file: join(folder, name) }));
}

function treeOf(file: string, name: string, searchKey: string | undefined): RegistryNode {
  if (!statSync(file).isDirectory()) return { name, type: 'file', files: [] };
  const files = entriesOf(file)
    .map((entry) => treeOf(entry.file, entry.name, searchKey))
    .filter((node) => searchKey === undefined || node.files.length > 0 || node.name.toLowerCase().includes(searchKey));
  return { name, type: 'folder', files };
}

function readProperties(file: string): Properties {
  const sidecar = `${file}.properties`;
  const text = existsSync(sidecar) ? readFileSync(sidecar, 'utf8') : '';
  return nameValues(propertiesOf(text));
}
