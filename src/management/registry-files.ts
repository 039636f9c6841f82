import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { propertiesOf } from '#artifacts';
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
  read(path: string): { readonly bytes: Buffer; readonly mediaType: string };
  mediaType(path: string): string;
  create(path: string, content: Uint8Array, mediaType: string): void;
  replace(path: string, content: Uint8Array): void;
  remove(path: string): void;
  properties(path: string): Properties;
  setProperties(path: string, properties: Properties): void;
  removeProperty(path: string, name: string): void;
}

type Properties = readonly { readonly name: string; readonly value: string }[];

const mediaTypes: Readonly<Record<string, string>> = {
  xml: 'application/xml',
  json: 'application/json',
  xslt: 'application/xslt+xml',
  xsl: 'application/xslt+xml',
  wsdl: 'application/wsdl+xml',
  xsd: 'application/x-xsd+xml',
  dmc: 'text/plain',
  js: 'application/javascript',
  properties: 'text/properties',
};

/** Opens the registry of a home. Every path is confined to it; what is wrong with one is a `MillraceError` (400, 404). */
export function openRegistryFiles(home: Home): RegistryFiles {
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

  const writeProperties = (file: string, properties: Properties): void => {
    const text = properties.map(({ name, value }) => `${name}=${value.replaceAll(/[\r\n]+/g, ' ')}\n`).join('');
    writeFileSync(`${file}.properties`, text);
  };

  return {
    list: (path) =>
      entriesOf(existing(path)).map(({ file, name }) => ({
        name,
        mediaType: mediaTypeOf(file),
        properties: readProperties(file),
      })),
    tree: (path, searchKey) => treeOf(existing(path), basename(path), searchKey?.toLowerCase()),
    read(path) {
      const file = existing(path);
      if (statSync(file).isDirectory()) throw refusal(400, `${path} is a folder`);
      return { bytes: readFileSync(file), mediaType: mediaTypeOf(file) };
    },
    mediaType: (path) => mediaTypeOf(existing(path)),
    create(path, content, mediaType) {
      const file = forWriting(path);
      if (existsSync(file)) throw refusal(400, `There is something at ${path} already`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      const sidecar = metadataFile(file);
      mkdirSync(dirname(sidecar), { recursive: true });
      writeFileSync(sidecar, `mediaType=${mediaType.replaceAll(/[\r\n]/g, '')}\n`);
    },
    replace(path, content) {
      const file = resourceForWriting(path);
      if (statSync(file).isDirectory()) throw refusal(400, `${path} is a folder`);
      writeFileSync(file, content);
    },
    remove(path) {
      const file = resourceForWriting(path);
      for (const each of [file, `${file}.properties`, metadataFile(file)])
        rmSync(each, { recursive: true, force: true });
    },
    properties: (path) => readProperties(existing(path)),
    setProperties(path, properties) {
      const file = resourceForWriting(path);
      const merged = new Map(readProperties(file).map(({ name, value }) => [name, value]));
      for (const { name, value } of properties) {
        if (!/^[^#!=:\s]+$/.test(name)) throw refusal(400, `"${name}" cannot be the name of a property`);
        merged.set(name, value);
      }
      writeProperties(
        file,
        [...merged].map(([name, value]) => ({ name, value })),
      );
    },
    removeProperty(path, name) {
      const file = resourceForWriting(path);
      const before = readProperties(file);
      const after = before.filter((property) => property.name !== name);
      if (after.length === before.length) throw refusal(400, `${path} has no property "${name}"`);
      writeProperties(file, after);
    },
  };
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
  return [...propertiesOf(text)].map(([name, value]) => ({ name, value }));
}

function metadataFile(file: string): string {
  return join(dirname(file), '.metadata', `${basename(file)}.meta`);
}

function mediaTypeOf(file: string): string {
  if (statSync(file).isDirectory()) return 'directory';
  const sidecar = metadataFile(file);
  const own = existsSync(sidecar) ? propertiesOf(readFileSync(sidecar, 'utf8')).get('mediaType') : undefined;
  const extension = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? '';
  return own ?? (Object.hasOwn(mediaTypes, extension) ? (mediaTypes[extension] ?? '') : 'text/plain');
}
