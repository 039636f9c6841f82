import { ownText, serializeXml } from '#xml';
import { isBinaryWrapper } from '../wrappers.ts';
import { defineFormatter } from './formatter.ts';

/** Types that usually pass unread: the decoded bytes of the wrapper, or else the whole envelope (runtime-core 6.4). */
export const relay = defineFormatter({
  name: 'relay',
  format({ payload }) {
    const content = payload.content();
    return isBinaryWrapper(content) ? Buffer.from(ownText(content), 'base64') : serializeXml(payload.envelope());
  },
});
