import { Decimal } from 'decimal.js';
import { JsonNumber, type JsonValue } from './value.ts';

/** True when both values say the same: members in any order, numbers by value (`1.0` equals `1`). */
export function jsonEquals(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (left instanceof JsonNumber) {
    return right instanceof JsonNumber && (left.text === right.text || compareJsonNumbers(left, right) === 0);
  }
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => jsonEquals(item, right[index] ?? null));
  }
  if (!(left instanceof Map) || !(right instanceof Map) || left.size !== right.size) return false;
  for (const [name, value] of left) {
    const other = right.get(name);
    if (other === undefined || !jsonEquals(value, other)) return false;
  }
  return true;
}

/** Compares two numbers by their exact values: negative, zero or positive. */
export function compareJsonNumbers(left: JsonNumber, right: JsonNumber): number {
  const quick = Number(left.text) - Number(right.text);
  // Rounding to doubles keeps the order, so a difference that remains is a true one.
  if (Math.abs(quick) > 0) return quick;
  return new Decimal(left.text).comparedTo(new Decimal(right.text));
}

/** A deep copy whose arrays and objects can be changed independently. */
export function cloneJson(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => cloneJson(item));
  if (!(value instanceof Map)) return value;
  const copy = new Map<string, JsonValue>();
  for (const [name, member] of value) copy.set(name, cloneJson(member));
  return copy;
}
