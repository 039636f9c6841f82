import { isModuleSpecifier, requireExtension } from '#core';
import { messageOf, ProblemsError, type Position } from '#errors';
import { setBeanProperty } from './properties.ts';

/** Where extensions come from. */
export interface ExtensionPlace {
  /** `<home>/extensions`. */
  readonly directory: string;
  /** Modules by class name, from `[millrace.class_map]`. */
  readonly classMap: Readonly<Record<string, string>>;
}

/** A class that an artifact or the configuration names. */
export interface NamedExtension {
  readonly className: string;
  readonly position: Position | undefined;
  /** What messages call it: `class mediator`, `API handler` … */
  readonly kind: string;
  /** The methods of which it must have one. */
  readonly methods: readonly string[];
}

/**
 * Finds what makes instances of a class: the export of a module that the name itself or `[millrace.class_map]` names
 * (config-catalog 3). An exported object is its own only instance.
 *
 * @throws ProblemsError that says what is missing and how to give it
 */
export function resolveExtension(named: NamedExtension, place: ExtensionPlace | undefined): () => object {
  const { className, kind, methods } = named;
  const mapped = place && Object.hasOwn(place.classMap, className) ? place.classMap[className] : undefined;
  const specifier = mapped ?? (isModuleSpecifier(className) ? className : undefined);
  if (specifier === undefined || !place) {
    const example = `"${className}" = "./${shortName(className)}.ts"`;
    throw problem(named, {
      code: 'MR_CLASS_UNMAPPED',
      message: `the ${kind} "${className}" is a Java class that nothing stands in for`,
      hint: `write it as a module of the extensions, and map it: [millrace.class_map] ${example}`,
    });
  }
  const exported = load(named, specifier, place.directory);
  const isClass = typeof exported === 'function';
  const sample: unknown = isClass ? (exported.prototype as unknown) : exported;
  if (!hasOneOf(sample, methods)) {
    const expected = methods.map((method) => `"${method}"`).join(', ');
    throw problem(named, {
      code: 'MR_CLASS_SHAPE',
      message: `the module "${specifier}" exports no ${kind}; expected a class, or an object, with ${methods.length > 1 ? 'one of the methods' : 'the method'} ${expected}`,
    });
  }
  return isClass ? () => construct(named, exported) : () => sample;
}

function load(named: NamedExtension, specifier: string, directory: string): unknown {
  try {
    return requireExtension(specifier, directory);
  } catch (error) {
    const message = `the module "${specifier}" of the ${named.kind} "${named.className}" cannot be loaded from ${directory}: ${reasonOf(error)}`;
    throw problem(named, { code: 'MR_CLASS_LOAD', message });
  }
}

/** Why a module cannot be loaded, without the lines that only help where it was asked for. */
function reasonOf(error: unknown): string {
  const isWaiting = error instanceof Error && Reflect.get(error, 'code') === 'ERR_REQUIRE_ASYNC_MODULE';
  return isWaiting
    ? 'it waits while it loads (top-level await); wait in init() instead'
    : (messageOf(error).split('\n', 1)[0] ?? '');
}

/** Sets properties of an instance. @throws ProblemsError for one that it does not have or cannot take */
export function setProperties(
  named: NamedExtension,
  instance: object,
  properties: readonly { readonly name: string; readonly value: unknown }[],
): void {
  for (const { name, value } of properties) {
    try {
      setBeanProperty(instance, name, value);
    } catch (error) {
      throw problem(named, { code: 'MR_CLASS_PROPERTY', message: `${named.className}: ${messageOf(error)}` });
    }
  }
}

function construct(named: NamedExtension, type: object): object {
  try {
    return Reflect.construct(type as new () => object, []);
  } catch (error) {
    const message = `the ${named.kind} "${named.className}" cannot be constructed: ${messageOf(error)}`;
    throw problem(named, { code: 'MR_CLASS_CONSTRUCT', message });
  }
}

function problem(
  { position }: NamedExtension,
  facts: { readonly code: string; readonly message: string; readonly hint?: string },
): ProblemsError {
  return new ProblemsError([{ ...facts, severity: 'error', ...(position ? { position } : {}) }]);
}

function hasOneOf(value: unknown, methods: readonly string[]): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return methods.some((method) => typeof Reflect.get(value, method) === 'function');
}

/** `com.acme.OrderCheck` as a file would be called: `order-check`. */
function shortName(className: string): string {
  const name = className.slice(className.lastIndexOf('.') + 1);
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '-').toLowerCase();
}
