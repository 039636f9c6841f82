import { mediaTypeOf, parameterOf } from './content-type.ts';
import type { Payload } from './payload.ts';

/**
 * Properties of scope axis2 that a message has from its Content-Type until somebody sets them (runtime-core 6.2): the
 * media type in which an unchanged reply is written, the whole type, and the charset. With them goes what says
 * whether the body was built (runtime-core 6.1).
 */
export const receivedProperties: ReadonlyMap<string, (payload: Payload) => string | true | undefined> = new Map<
  string,
  (payload: Payload) => string | true | undefined
>([
  ['messageType', ({ origin }) => messageType(origin.contentType, origin.hasSoapAction)],
  ['ContentType', ({ origin }) => origin.contentType],
  ['MESSAGE_BUILDER_INVOKED', ({ hasContent }) => hasContent || undefined],
  [
    'CHARACTER_SET_ENCODING',
    ({ origin: { contentType } }) =>
      contentType === undefined ? undefined : (parameterOf(contentType, 'charset') ?? 'UTF-8'),
  ],
]);

function messageType(contentType: string | undefined, hasSoapAction: boolean): string | undefined {
  const mediaType = contentType === undefined ? undefined : mediaTypeOf(contentType);
  return mediaType === 'text/xml' && !hasSoapAction ? 'application/xml' : mediaType;
}
