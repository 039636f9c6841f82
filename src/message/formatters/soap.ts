import { serializeXml } from '#xml';
import { defineFormatter } from './formatter.ts';

/** `text/xml` and `application/soap+xml`: the whole envelope. */
export const soap = defineFormatter({
  name: 'soap',
  mediaTypes: ['text/xml', 'application/soap+xml'],
  format: (payload) => serializeXml(payload.envelope()),
});
