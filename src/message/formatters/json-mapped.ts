import { xmlToJsonText } from '#json';
import { defineFormatter } from './formatter.ts';

/** `text/javascript`: the body in the mapped convention, also where the payload was JSON. */
export const jsonMapped = defineFormatter({
  name: 'json-mapped',
  format({ payload }) {
    const content = payload.content();
    return content && xmlToJsonText(content, payload.mapping);
  },
});
