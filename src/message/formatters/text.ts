import { firstElement, ownText, serializeXml } from '#xml';
import { isTextWrapper } from '../wrappers.ts';
import { defineFormatter } from './formatter.ts';

/** `text/plain`: the text of the wrapper; anything else gives an empty body (runtime-core 6.4). */
export const text = defineFormatter({
  name: 'text',
  format({ payload }) {
    const content = payload.content();
    if (!isTextWrapper(content)) return '';
    const inner = firstElement(content);
    return inner ? serializeXml(inner) : ownText(content);
  },
});
