import { serializeXml, soapVersionOf, type SoapVersion, type XmlElement } from '#xml';
import { convertedEnvelope } from '../soap-version.ts';
import { defineFormatter, type Formatted, type FormatterInput } from './formatter.ts';
import { withAttachments } from './with-attachments.ts';

/** Each SOAP version has a media type of its own. */
const versions: Readonly<Record<string, SoapVersion | undefined>> = {
  'text/xml': 'soap11',
  'application/soap+xml': 'soap12',
};

/** `text/xml` and `application/soap+xml`: the whole envelope in the version of the type, and its attachments. */
export const soap = defineFormatter({
  name: 'soap',
  format: (input) => formatEnvelope(input, versions[input.mediaType.toLowerCase()]),
});

/** The envelope in a version; as it is when none is asked for. */
export function envelopeIn(envelope: XmlElement, wanted: SoapVersion | undefined): XmlElement {
  return wanted === undefined || wanted === soapVersionOf(envelope) ? envelope : convertedEnvelope(envelope, wanted);
}

/** The envelope, in another version when one is asked for, as MTOM or with attachments where that is on. */
export function formatEnvelope(input: FormatterInput, wanted: SoapVersion | undefined): Formatted {
  const written = envelopeIn(input.payload.envelope(), wanted);
  return withAttachments(input, written) ?? serializeXml(written);
}
