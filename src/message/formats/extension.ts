import { isModuleSpecifier, loadExtension } from '#core';
import { messageOf, nearestName, type Position, type Problem } from '#errors';

/** A class name or module of the configuration, and where it stands. */
export interface NamedClass {
  /** Path of the key, such as `message_builders.application_json`. */
  readonly key: string;
  readonly className: string;
  readonly position: Position | undefined;
}

/** What a class name may stand for. */
export interface ClassResolution<T> {
  readonly builtIn: Readonly<Record<string, T>>;
  /** Modules by class name, from `[millrace.class_map]`. */
  readonly classMap: Readonly<Record<string, string>>;
  /** `<home>/extensions`. */
  readonly directory: string;
  /** What messages call it: `builder` or `formatter`. */
  readonly kind: string;
  /** The method that an extension must have. */
  readonly method: string;
}

/**
 * Finds what a class name stands for (config-catalog 3): a built-in one, the module that it names, or the module that
 * `[millrace.class_map]` gives it. A problem that says what was expected when there is none.
 */
export async function resolveClass<T extends object>(
  named: NamedClass,
  resolution: ClassResolution<T>,
): Promise<{ readonly found: T } | { readonly problem: Problem }> {
  const { builtIn, classMap, directory, kind, method } = resolution;
  const { key, className } = named;
  if (Object.hasOwn(builtIn, className)) return { found: builtIn[className] as T };
  const mapped = Object.hasOwn(classMap, className) ? classMap[className] : undefined;
  const specifier = mapped ?? (isModuleSpecifier(className) ? className : undefined);
  if (specifier === undefined) {
    const nearest = nearestName(className, Object.keys(builtIn));
    return failure(named, {
      message: `${key}: the class "${className}" is no built-in ${kind}; expected one of them, a module of the extensions such as ./${kind}.ts#Name, or a class that [millrace.class_map] maps to a module`,
      hint: nearest === undefined ? undefined : `did you mean ${nearest}?`,
    });
  }
  try {
    const exported = await loadExtension(specifier, directory);
    const instance: unknown = typeof exported === 'function' ? Reflect.construct(exported, []) : exported;
    if (hasMethod(instance, method)) return { found: instance as T };
    const message = `${key}: the module "${specifier}" exports no ${kind}; expected an object, or a class, with the method "${method}"`;
    return failure(named, { message, hint: undefined });
  } catch (error) {
    const message = `${key}: the module "${specifier}" cannot be loaded from ${directory}: ${messageOf(error)}`;
    return failure(named, { message, hint: undefined });
  }
}

function hasMethod(value: unknown, method: string): value is object {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, method) === 'function';
}

function failure(
  { position }: NamedClass,
  { message, hint }: { message: string; hint: string | undefined },
): { problem: Problem } {
  const problem: Problem = {
    code: 'MR_MESSAGE_FORMAT_CLASS',
    severity: 'error',
    message,
    ...(position ? { position } : {}),
    ...(hint === undefined ? {} : { hint }),
  };
  return { problem };
}
