import { defineFormatter } from './formatter.ts';

/** `application/json`: the JSON text as it is, or the body converted (runtime-core 6.6). */
export const json = defineFormatter({
  name: 'json',
  mediaTypes: ['application/json'],
  format: (payload) => payload.toJsonText(),
});
