import { JsonNumber, type JsonValue } from './value.ts';

/** Writes a value as compact JSON; numbers appear in the text that they were given. */
export function stringifyJson(value: JsonValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value === null) return 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (value instanceof JsonNumber) return value.text;
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${stringifyJson(item)}`;
    return `[${text}]`;
  }
  for (const [name, member] of value) {
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${stringifyJson(member)}`;
  }
  return `{${text}}`;
}
