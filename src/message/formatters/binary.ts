import { ownText, serializeXml } from '#xml';
import { binary as binaryBuilder } from '../builders/binary.ts';
import { isBinaryWrapper } from '../wrappers.ts';
import { defineFormatter } from './formatter.ts';

/** Binary types: the decoded bytes of the wrapper; anything else is written as an envelope (runtime-core 6.4). */
export const binary = defineFormatter({
  name: 'binary',
  mediaTypes: binaryBuilder.mediaTypes,
  format(payload) {
    const content = payload.content();
    if (isBinaryWrapper(content)) return Buffer.from(ownText(content), 'base64');
    return serializeXml(payload.envelope());
  },
});
