import {
  bodySourceOf,
  getHeader,
  Payload,
  type BodySource,
  type HeaderList,
  type Message,
  type MessageFormats,
  type PayloadOrigin,
} from '#message';
import { serializeXml } from '#xml';
import type { Sized } from './response-cache.ts';

/** The body of a stored answer: the bytes as they came, or what the flow made of them. */
type StoredBody =
  | { readonly bytes: Uint8Array | null; readonly origin: PayloadOrigin; readonly formats: MessageFormats | undefined }
  | { readonly payload: Payload };

/** Properties of scope axis2 that belong to an answer. */
const keptProperties = [
  'HTTP_SC',
  'HTTP_SC_DESC',
  'ORIGINAL_STATUS_CODE',
  'HTTP_REASON_PHRASE',
  'messageType',
  'ContentType',
  'NO_ENTITY_BODY',
];

/** An answer that can be given again. */
export interface StoredResponse extends Sized {
  readonly body: StoredBody;
  readonly headers: Readonly<HeaderList>;
  readonly headersOf: Message['headersOf'];
  readonly axis2: ReadonlyMap<string, unknown>;
  /** Milliseconds since the epoch when the back end made it. */
  readonly madeAt: number;
}

/**
 * Keeps an answer: at once when its body is here, else a copy of the bytes while they go on to the client, so that
 * storing neither waits nor holds anything up. `keep` is not called for a body beyond `limit` bytes.
 */
export function captureResponse(message: Message, limit: number, keep: (response: StoredResponse) => void): void {
  const { payload } = message;
  const { headersOf } = message;
  const headers = message.headers.slice();
  const axis2 = new Map(keptProperties.map((name) => [name, message.axis2.get(name)]));
  const madeAt = madeAtOf(message);
  const store = (body: StoredBody, length: number): void => {
    const size = length + headers.reduce((sum, text) => sum + text.length, 0) + 500;
    if (length <= limit) keep({ body, headers, headersOf, axis2, madeAt, size });
  };
  const { origin, formats } = payload;
  if (payload.loaded) {
    const bytes = payload.receivedBytes;
    if (bytes) store({ bytes, origin, formats }, bytes.length);
    else if (payload.empty) store({ bytes: null, origin, formats }, 0);
    else store({ payload: payload.clone() }, (payload.jsonText() ?? serializeXml(payload.envelope())).length);
    return;
  }
  const source = payload.takeRaw();
  if (source === null || source instanceof Uint8Array) return;
  const copy = copying(source, limit, (bytes) => store({ bytes, origin, formats }, bytes.length));
  message.payload = Payload.received(copy, origin);
  message.payload.formats = formats;
}

/** Makes the message the stored answer. */
export function restoreResponse(message: Message, response: StoredResponse): void {
  const { body } = response;
  message.payload.discard();
  if ('payload' in body) {
    message.payload = body.payload.clone();
  } else {
    message.payload = Payload.received(body.bytes && bodySourceOf(body.bytes), body.origin);
    message.payload.formats = body.formats;
  }
  message.headers = response.headers.slice();
  message.headersOf = response.headersOf;
  for (const [name, value] of response.axis2) {
    if (value === undefined) message.axis2.delete(name);
    else message.axis2.set(name, value);
  }
}

function madeAtOf(message: Message): number {
  const date = Date.parse(getHeader(message.headers, 'Date') ?? '');
  return Number.isNaN(date) ? message.now() : date;
}

/**
 * A source that also collects what it delivers; beyond the limit, or when it breaks off, nothing is kept. When nobody
 * wants the body it is read to its end for the copy alone.
 */
function copying(source: BodySource, limit: number, whole: (bytes: Uint8Array) => void): BodySource {
  let chunks: Uint8Array[] | undefined = source.length !== undefined && source.length > limit ? undefined : [];
  let size = 0;
  let isPiped = false;
  const take = (chunk: Uint8Array): void => {
    size += chunk.length;
    if (size > limit) chunks = undefined;
    chunks?.push(chunk);
  };
  const finish = (): void => {
    if (chunks) whole(Buffer.concat(chunks));
  };
  return {
    length: source.length,
    pipe(sink) {
      isPiped = true;
      source.pipe({
        write(chunk) {
          take(chunk);
          return sink.write(chunk);
        },
        end() {
          finish();
          sink.end();
        },
        fail: (error) => sink.fail(error),
      });
    },
    resume: () => source.resume(),
    cancel() {
      if (isPiped || !chunks) return source.cancel();
      isPiped = true;
      source.pipe({
        write(chunk) {
          take(chunk);
          if (!chunks) source.cancel();
          return true;
        },
        end: finish,
        fail: ignore,
      });
    },
  };
}

function ignore(): void {
  // What broke off is not kept, and nobody else waits for it.
}
