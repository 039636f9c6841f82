import { binary } from './binary.ts';
import { formUrlencoded } from './form-urlencoded.ts';
import { jsonBadgerfish } from './json-badgerfish.ts';
import { jsonMapped } from './json-mapped.ts';
import { json } from './json.ts';
import { multipartFormData } from './multipart-form-data.ts';
import { multipartRelated } from './multipart-related.ts';
import { relay } from './relay.ts';
import { soap } from './soap.ts';
import { text } from './text.ts';
import { xml } from './xml.ts';

export type { Builder, BuilderInput, Built } from './builder.ts';

/** Every builder, one line each. */
export const builders = [
  binary,
  formUrlencoded,
  json,
  jsonBadgerfish,
  jsonMapped,
  multipartFormData,
  multipartRelated,
  relay,
  soap,
  text,
  xml,
] as const;

export type BuilderKind = (typeof builders)[number]['name'];
