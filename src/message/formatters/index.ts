import { mediaTypeOf } from '../content-type.ts';
import { binary } from './binary.ts';
import type { Formatter } from './formatter.ts';
import { formUrlencoded } from './form-urlencoded.ts';
import { json } from './json.ts';
import { soap } from './soap.ts';
import { text } from './text.ts';
import { xml } from './xml.ts';

export type { Formatter } from './formatter.ts';

/** Every formatter, one line each. */
export const formatters: readonly Formatter[] = [binary, formUrlencoded, json, soap, text, xml];

const byMediaType = new Map(
  formatters.flatMap((formatter) => formatter.mediaTypes.map((type) => [type, formatter] as const)),
);

/** The formatter for a media type, or undefined when none is registered (runtime-core 6.3). */
export function findFormatter(messageType: string): Formatter | undefined {
  return byMediaType.get(mediaTypeOf(messageType).toLowerCase());
}
