import { getLogger, isModuleSpecifier, requireExtension } from '#core';
import { messageOf } from '#errors';

const log = getLogger('identity');

/** Where modules of one's own are, and which classes of the original they stand for. */
export interface ExtensionModules {
  readonly directory: string;
  readonly classMap: Readonly<Record<string, string>>;
}

/** The key that names a module, and what it means when there is none. */
export interface ModulePlace {
  readonly key: string;
  readonly modules: ExtensionModules;
  /** For the log, such as `the grant is not offered`. */
  readonly otherwise: string;
}

/**
 * Loads the module that stands for a class and gives what `use` makes of its export. Undefined, with the reason in the
 * log, for a class that nothing stands for and for a module that fails.
 */
export function loadModule<T>(
  className: string,
  { key, modules, otherwise }: ModulePlace,
  use: (exported: unknown) => T,
): T | undefined {
  const { classMap, directory } = modules;
  const mapped = Object.hasOwn(classMap, className) ? classMap[className] : undefined;
  const specifier = mapped ?? (isModuleSpecifier(className) ? className : undefined);
  if (specifier === undefined) {
    const expected = 'expected a class of the original, a module of the extensions, or a class of [millrace.class_map]';
    log.warn({ key, found: className, expected }, `a class is not known: ${otherwise}`);
    return undefined;
  }
  try {
    return use(requireExtension(specifier, directory));
  } catch (error) {
    log.error({ key, module: specifier, directory, error: messageOf(error) }, `a module fails: ${otherwise}`);
    return undefined;
  }
}

/** An instance of a class, and everything else as it is. */
export function instanceOf(exported: unknown): unknown {
  return typeof exported === 'function' && /^class\b/.test(Function.prototype.toString.call(exported))
    ? Reflect.construct(exported, [])
    : exported;
}

export type Method = (...given: readonly unknown[]) => unknown;

/** A function, or the method of an object or a class. */
export function methodOf(exported: unknown, name: string): Method {
  const own = instanceOf(exported);
  if (typeof own === 'function') return own as Method;
  const found: unknown = typeof own === 'object' && own !== null ? Reflect.get(own, name) : undefined;
  if (typeof found !== 'function') throw new Error(`expected a function, or an object or class with "${name}"`);
  return (...given) => Reflect.apply(found, own, given);
}
