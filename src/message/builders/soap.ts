import { MillraceError } from '#errors';
import { soapVersionOf } from '#xml';
import { defineBuilder } from './builder.ts';
import { readXml } from './xml.ts';

/** `text/xml` and `application/soap+xml`: a SOAP 1.1 or 1.2 envelope. */
export const soap = defineBuilder({
  name: 'soap',
  build(input) {
    const root = readXml(input);
    if (soapVersionOf(root) === undefined && input.allowPlainXml) return { form: 'content', content: [root] };
    if (soapVersionOf(root) === undefined) {
      throw new MillraceError({
        code: 'MR_SOAP_ENVELOPE_EXPECTED',
        status: 400,
        message: `Expected a SOAP envelope for ${input.contentType}, found the element "${root.name}"`,
      });
    }
    return { form: 'envelope', envelope: root };
  },
});
