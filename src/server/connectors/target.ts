import { decodeText } from '#core/java';
import type { RequestHandler } from '#transport';

/** Characters that no URL holds as they are (RFC 3986); the original refuses them unless it is told to relax. */
const unsafe = '"<>[]^`{|}';

/** Refuses targets with characters that have to be encoded, but for those that are allowed in path and query. */
export function withStrictTarget(handler: RequestHandler, relaxed: { path: string; query: string }): RequestHandler {
  const forbidden = (allowed: string): RegExp | undefined => {
    const rest = Array.from(unsafe).filter((character) => !allowed.includes(character));
    return rest.length === 0 ? undefined : new RegExp(`[${rest.map((each) => `\\${each}`).join('')}]`);
  };
  const [inPath, inQuery] = [forbidden(relaxed.path), forbidden(relaxed.query)];
  return (request, responder) => {
    const { target } = request;
    const query = target.indexOf('?');
    const isForbidden =
      inPath?.test(query < 0 ? target : target.slice(0, query)) || (query >= 0 && inQuery?.test(target.slice(query)));
    if (!isForbidden) {
      handler(request, responder);
      return;
    }
    request.body?.cancel();
    const text = 'The request target has a character that must be percent-encoded\n';
    responder.respond({ status: 400, headers: ['Content-Type', 'text/plain'] }, Buffer.from(text));
  };
}

const encodedRun = /(?:%[0-9A-Fa-f]{2})+/g;

/** Hands on targets in UTF-8 whose percent-encoded bytes stand for characters of another charset. */
export function withUriEncoding(handler: RequestHandler, charset: string): RequestHandler {
  if (/^utf-?8$/i.test(charset)) return handler;
  return (request, responder) => {
    const target = request.target.replace(encodedRun, (run) => inUtf8(run, charset));
    handler(target === request.target ? request : { ...request, target }, responder);
  };
}

/** ASCII characters stay encoded as they were: decoding them could change what the target says. */
function inUtf8(run: string, charset: string): string {
  const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
  if (bytes.every((byte) => byte < 0x80)) return run;
  return Array.from(decodeText(bytes, charset), (character) => encoded(character)).join('');
}

function encoded(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? `%${code.toString(16).toUpperCase().padStart(2, '0')}` : encodeURIComponent(character);
}
