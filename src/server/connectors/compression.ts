import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { compileJavaRegex } from '#core/java';
import { bodySourceOf, getHeader, type HeaderList } from '#message';
import type { Body, BodySource, HttpRequest, RequestHandler, ResponseHead } from '#transport';
import { respondThrough } from '../respond-through.ts';

/** What a connector compresses (config-catalog, `transport.https.properties.compression` and its neighbours). */
export interface CompressionSettings {
  /** `force` compresses whatever a client accepts in compressed form. */
  readonly mode: 'off' | 'on' | 'force';
  /** Bytes below which a body of known length stays as it is. */
  readonly minSize: number;
  /** Regular expressions of Java that match the whole of a `User-Agent`. */
  readonly excludedAgents: readonly string[];
  /** Media types, without parameters. */
  readonly mediaTypes: readonly string[];
}

type Coding = 'gzip' | 'br';

/** Makes the compressor of a coding; quality 4 of Brotli is about as fast as gzip. */
const compressors = {
  gzip: () => createGzip(),
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
} as const;

/** Compresses answers whose client wants that. */
export function withCompression(handler: RequestHandler, settings: CompressionSettings): RequestHandler {
  if (settings.mode === 'off') return handler;
  const excluded = settings.excludedAgents.map((pattern) => compileJavaRegex(pattern));
  const mediaTypes = new Set(settings.mediaTypes.map((type) => type.toLowerCase()));

  /** Whether an answer is one to compress, for clients that accept that. */
  const isCompressible = ({ headers, status }: ResponseHead, body: Body): body is Uint8Array | BodySource => {
    if (body === null || status === 206 || getHeader(headers, 'Content-Encoding') !== undefined) return false;
    // What may hold secrets beside something that a stranger chose must not tell of them by its length (BREACH), and a
    // strong validator belongs to the very bytes.
    const isPrivate = /\bno-store\b|\bno-transform\b/i.test(getHeader(headers, 'Cache-Control') ?? '');
    if (isPrivate || getHeader(headers, 'ETag')?.startsWith('"')) return false;
    if (settings.mode === 'force') return true;
    const { length } = body;
    const type = (getHeader(headers, 'Content-Type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    return (length === undefined || length >= settings.minSize) && mediaTypes.has(type);
  };

  return (request, responder) => {
    const coding = isExcluded(request, excluded) ? undefined : codingFor(request);
    const compressing = respondThrough(responder, (head, body) => {
      if (!isCompressible(head, body)) {
        responder.respond(head, body);
        return;
      }
      const headers: HeaderList = [...withoutLength(head.headers), 'Vary', 'Accept-Encoding'];
      if (coding === undefined) responder.respond({ ...head, headers }, body);
      else {
        const source = body instanceof Uint8Array ? bodySourceOf(body) : body;
        responder.respond({ ...head, headers: [...headers, 'Content-Encoding', coding] }, compressed(source, coding));
      }
    });
    handler(request, compressing);
  };
}

function isExcluded({ headers }: HttpRequest, patterns: readonly { matches(text: string): boolean }[]): boolean {
  const agent = getHeader(headers, 'User-Agent');
  return agent !== undefined && patterns.some((pattern) => pattern.matches(agent));
}

/** The coding that a client likes best, by its weights (RFC 9110, 12.5.3); Brotli where it likes both as much. */
function codingFor({ headers }: HttpRequest): Coding | undefined {
  const accepted = getHeader(headers, 'Accept-Encoding');
  if (accepted === undefined) return undefined;
  const weights = new Map(
    accepted.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
    }),
  );
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const best: Coding = weightOf('br') >= weightOf('gzip') ? 'br' : 'gzip';
  return weightOf(best) > 0 ? best : undefined;
}

function withoutLength(headers: Readonly<HeaderList>): HeaderList {
  return headers.flatMap((name, index) =>
    index % 2 === 0 && name.toLowerCase() !== 'content-length' ? [name, headers[index + 1] ?? ''] : [],
  );
}

/** The body in a coding, as it comes. */
function compressed(source: BodySource, coding: Coding): BodySource {
  const compressor = compressors[coding]();
  return {
    length: undefined,
    pipe(sink) {
      compressor.on('data', (chunk: Uint8Array) => {
        if (!sink.write(chunk)) compressor.pause();
      });
      compressor.on('end', () => sink.end());
      compressor.on('error', (error) => sink.fail(error));
      source.pipe({
        write(chunk) {
          const goesOn = compressor.write(chunk);
          if (!goesOn) compressor.once('drain', () => source.resume());
          return goesOn;
        },
        end: () => void compressor.end(),
        fail: (error) => compressor.destroy(error),
      });
    },
    resume: () => void compressor.resume(),
    cancel() {
      compressor.destroy();
      source.cancel();
    },
  };
}
