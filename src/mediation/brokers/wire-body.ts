import { isCharset } from '#core/java';
import { mediaTypeOf, parameterOf, readBody, type Message } from '#message';
import { composeBody } from '../outgoing-body.ts';

/** A body as a broker takes it. */
export interface WireBody {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
}

/** The body of a message that answers one of a broker. */
export async function answerBody(message: Message, limit: number): Promise<WireBody> {
  await message.payload.load(limit);
  const { body, contentType } = composeBody(message, 'client');
  const bytes = body === null || body instanceof Uint8Array ? (body ?? new Uint8Array()) : await readBody(body, limit);
  return { bytes, contentType: contentType ?? message.header('Content-Type') };
}

const textTypes = /^text\/|[/+](?:xml|json)\b|^application\/x-www-form-urlencoded$/;

/** The text of a body whose type means text; undefined for any other. */
export function textOfBody({ bytes, contentType }: WireBody): string | undefined {
  if (contentType === undefined || !textTypes.test(mediaTypeOf(contentType).toLowerCase())) return undefined;
  const charset = parameterOf(contentType, 'charset') ?? 'UTF-8';
  return isCharset(charset) ? new TextDecoder(charset).decode(bytes) : undefined;
}
