import { badgerfishToXml, parseJson } from '#json';
import { defineBuilder, textOf } from './builder.ts';

/** `application/json/badgerfish` (runtime-core 6.8), read as XML at once. */
export const jsonBadgerfish = defineBuilder({
  name: 'json-badgerfish',
  build(input) {
    const text = textOf(input);
    return { form: 'content', content: text.trim() === '' ? [] : [badgerfishToXml(parseJson(text))] };
  },
});
