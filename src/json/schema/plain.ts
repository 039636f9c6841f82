import { JsonNumber, type JsonValue } from '../value.ts';

/**
 * A JSON value as plain JavaScript, for libraries that want it so. Numbers take the nearest double; `__proto__` is an
 * ordinary member.
 */
export function toPlain(value: JsonValue): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map((item) => toPlain(item));
  if (!(value instanceof Map)) return value;
  const object: Record<string, unknown> = {};
  for (const [name, member] of value) {
    const plain = toPlain(member);
    if (name === '__proto__') {
      Object.defineProperty(object, name, { value: plain, enumerable: true, configurable: true, writable: true });
    } else object[name] = plain;
  }
  return object;
}
