import { textOf } from '#expression';
import { defineFormatter, isOn } from './formatter.ts';

/**
 * `application/json`: the JSON text as it is, or the body converted; without either the text in `JSON_STRING`
 * (runtime-core 6.6). `PRESERVE_SPACES` keeps text of blanks.
 */
export const json = defineFormatter({
  name: 'json',
  format(input) {
    const { payload } = input;
    const text = payload.toJsonText({ preserveSpaces: isOn(input.property('PRESERVE_SPACES')) });
    if (text !== undefined) return text;
    const fallback = input.property('JSON_STRING');
    return fallback === undefined ? undefined : textOf(fallback);
  },
});
