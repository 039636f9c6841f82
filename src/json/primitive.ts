import type { MappingOptions } from './mapping-options.ts';

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** True for text that JSON takes for a number as it is. */
export function isJsonNumber(text: string): boolean {
  return jsonNumber.test(text);
}

/** The JSON for the text of an element or of one between attributes (runtime-core 6.7). */
export function primitiveText(text: string, options: MappingOptions): string {
  const replaced = options.replaceMarker?.(text);
  if (replaced !== undefined) return JSON.stringify(replaced);
  if (options.autoPrimitive === false || options.keepString?.(text)) return JSON.stringify(text);
  if (text === 'true' || text === 'false' || text === 'null' || isJsonNumber(text)) return text;
  return JSON.stringify(text);
}
