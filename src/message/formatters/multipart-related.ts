import { serializeXml, soapVersionOf } from '#xml';
import { defineFormatter } from './formatter.ts';
import { envelopeIn } from './soap.ts';
import { withAttachments } from './with-attachments.ts';

/** `multipart/related`: MTOM or SOAP with attachments where that is on, else the envelope alone under its own type. */
export const multipartRelated = defineFormatter({
  name: 'multipart-related',
  format(input) {
    const envelope = envelopeIn(input.payload.envelope(), input.soapVersion);
    const type = soapVersionOf(envelope) === 'soap11' ? 'text/xml' : 'application/soap+xml';
    return withAttachments(input, envelope) ?? { body: serializeXml(envelope), contentType: type };
  },
});
