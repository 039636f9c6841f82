import { mediaTypeOf, parameterOf } from './content-type.ts';
import type { PayloadOrigin } from './payload.ts';

/**
 * Properties of scope axis2 that a message has from its Content-Type until somebody sets them (runtime-core 6.2): the
 * media type in which an unchanged reply is written, the whole type, and the charset.
 */
export const receivedProperties: ReadonlyMap<string, (origin: PayloadOrigin) => string | undefined> = new Map([
  ['messageType', ({ contentType, hasSoapAction }: PayloadOrigin) => messageType(contentType, hasSoapAction)],
  ['ContentType', ({ contentType }) => contentType],
  [
    'CHARACTER_SET_ENCODING',
    ({ contentType }) => (contentType === undefined ? undefined : (parameterOf(contentType, 'charset') ?? 'UTF-8')),
  ],
]);

function messageType(contentType: string | undefined, hasSoapAction: boolean): string | undefined {
  const mediaType = contentType === undefined ? undefined : mediaTypeOf(contentType);
  return mediaType === 'text/xml' && !hasSoapAction ? 'application/xml' : mediaType;
}
