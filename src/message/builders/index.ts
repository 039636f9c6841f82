import { mediaTypeOf } from '../content-type.ts';
import { binary } from './binary.ts';
import type { Builder } from './builder.ts';
import { formUrlencoded } from './form-urlencoded.ts';
import { json } from './json.ts';
import { soap } from './soap.ts';
import { text } from './text.ts';
import { xml } from './xml.ts';

export type { Builder, BuilderInput, Built } from './builder.ts';

/** Every builder, one line each. */
export const builders: readonly Builder[] = [binary, formUrlencoded, json, soap, text, xml];

const byMediaType = new Map(builders.flatMap((builder) => builder.mediaTypes.map((type) => [type, builder] as const)));

/**
 * The builder for a Content-Type (runtime-core 6.2): exact type, then lower case; `text/xml` without a SOAPAction
 * counts as plain XML; a type that nobody registered is tried as plain XML, as the original does for REST messages.
 */
export function selectBuilder(contentType: string, hasSoapAction: boolean): Builder {
  const mediaType = mediaTypeOf(contentType).toLowerCase();
  if (mediaType === 'text/xml' && !hasSoapAction) return xml;
  return byMediaType.get(mediaType) ?? xml;
}
