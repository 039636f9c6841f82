import { MillraceError, synapseCodes } from '#errors';

/**
 * Sets a property of an extension as Java beans have them: by its setter, or as a member, converted to a number or
 * boolean where the member is one.
 *
 * @throws MillraceError when it has neither
 */
export function setBeanProperty(instance: object, name: string, value: unknown): void {
  const setter: unknown = Reflect.get(instance, accessor('set', name));
  if (typeof setter === 'function') {
    setter.call(instance, value);
    return;
  }
  if (!(name in instance)) {
    throw new MillraceError({
      code: synapseCodes.mediation,
      message: `${instance.constructor.name} has no property "${name}"; expected a method ${accessor('set', name)} or a member ${name}`,
    });
  }
  Reflect.set(instance, name, converted(value, Reflect.get(instance, name), name));
}

/** Reads a property back: by its getter, or the member. */
export function getBeanProperty(instance: object, name: string): unknown {
  const getter: unknown = Reflect.get(instance, accessor('get', name));
  return typeof getter === 'function' ? getter.call(instance) : Reflect.get(instance, name);
}

function accessor(kind: 'set' | 'get', name: string): string {
  return `${kind}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function converted(value: unknown, present: unknown, name: string): unknown {
  if (typeof value !== 'string') return value;
  if (typeof present === 'boolean') return value.trim().toLowerCase() === 'true';
  if (typeof present !== 'number') return value;
  const number = value.trim() === '' ? Number.NaN : Number(value);
  if (!Number.isNaN(number)) return number;
  throw new MillraceError({
    code: synapseCodes.mediation,
    message: `the property "${name}" must be a number, found "${value}"`,
  });
}
