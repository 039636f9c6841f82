import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * True for a text that names a module and not a Java class: a path, or a package, with an optional `#export`
 * (config-catalog 3).
 */
export function isModuleSpecifier(text: string): boolean {
  const [module = ''] = text.split('#', 1);
  return /^(?:\.{1,2}\/|\/|@[^/]+\/|[A-Za-z]:[\\/])/.test(module) || /^[a-z0-9_-]+(?:\/.*)?$/.test(module);
}

/**
 * Loads what a module exports: the name after `#`, or its default export. Paths are relative to `directory`, where
 * packages are looked for as well.
 *
 * @throws Error when there is no such module, or it fails while it loads
 */
export async function loadExtension(specifier: string, directory: string): Promise<unknown> {
  const { file, name } = locate(specifier, directory);
  const exported = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  return exported[name];
}

/**
 * The same at once, for what is compiled without waiting. A module that waits while it loads cannot be used so.
 *
 * @throws Error when there is no such module, it fails while it loads, or it has a top-level `await`
 */
export function requireExtension(specifier: string, directory: string): unknown {
  const { file, name } = locate(specifier, directory);
  const exported = createRequire(join(directory, 'extensions.js'))(file) as Readonly<Record<string, unknown>>;
  return exported[name];
}

function locate(specifier: string, directory: string): { readonly file: string; readonly name: string } {
  const hash = specifier.indexOf('#');
  const name = hash < 0 ? 'default' : specifier.slice(hash + 1);
  const module = hash < 0 ? specifier : specifier.slice(0, hash);
  const isPath = module.startsWith('.') || isAbsolute(module);
  const file = isPath ? resolve(directory, module) : createRequire(join(directory, 'extensions.js')).resolve(module);
  return { file, name };
}
