import { ownText } from '#xml';
import { isBinaryWrapper } from '../wrappers.ts';
import { defineFormatter } from './formatter.ts';

/** `application/binary`: the decoded bytes of the `binary` wrapper; anything else is not written (runtime-core 6.4). */
export const binary = defineFormatter({
  name: 'binary',
  format({ payload }) {
    const content = payload.content();
    return isBinaryWrapper(content) ? Buffer.from(ownText(content), 'base64') : undefined;
  },
});
