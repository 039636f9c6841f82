import { serializeXml, soapVersionOf, type SoapVersion } from '#xml';
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

/** The envelope, in another version when one is asked for, as MTOM or with attachments where that is on. */
export function formatEnvelope(input: FormatterInput, wanted: SoapVersion | undefined): Formatted {
  const envelope = input.payload.envelope();
  const version = soapVersionOf(envelope);
  const written = wanted && wanted !== version ? convertedEnvelope(envelope, wanted) : envelope;
  return withAttachments(input, written) ?? serializeXml(written);
}
