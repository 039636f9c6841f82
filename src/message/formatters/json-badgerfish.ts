import { stringifyJson, xmlToBadgerfish } from '#json';
import { defineFormatter } from './formatter.ts';

/** `application/json/badgerfish` (runtime-core 6.8): every value is a string. */
export const jsonBadgerfish = defineFormatter({
  name: 'json-badgerfish',
  format({ payload }) {
    const content = payload.content();
    return content && stringifyJson(xmlToBadgerfish(content));
  },
});
