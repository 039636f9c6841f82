import { defineSection, key } from './define.ts';
import { text } from './types.ts';

/** What the integration runtime knows about all of its transports. */
export const transportDefaults = defineSection({
  path: 'transport',
  doc: 'All transports.',
  keys: {
    defaultContentType: key('default_content_type', text(), {
      default: 'application/octet-stream',
      additional: true,
      doc: 'Content-Type of a request that has a body and says none.',
      effect: 'selects the builder of such a request.',
    }),
  },
});
