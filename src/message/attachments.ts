import { getHeader, type HeaderList } from './header-list.ts';
import { decodedBody, type Part } from './mime/index.ts';

/** A part of a multipart/related message beside its envelope. */
export interface Attachment {
  /** Content-ID without angle brackets; empty when the part had none. */
  readonly contentId: string;
  readonly contentType: string;
  /** Other headers of the part, kept for writing it back. */
  readonly headers: Readonly<HeaderList>;
  readonly bytes: Uint8Array;
  /** True when the envelope included it by XOP: its Base64 form then stands in the envelope. */
  readonly included: boolean;
}

/** When messages carry attachments outside of the envelope: `server.enableMTOM` and `server.enableSwA`. */
export interface AttachmentSettings {
  /** `optional` answers in MTOM when the request used it. */
  readonly mtom: boolean | 'optional';
  readonly swa: boolean;
}

const ownHeaders = new Set(['content-id', 'content-type', 'content-transfer-encoding']);

/** The attachment that a part holds, its transfer encoding undone. */
export function attachmentOf(part: Part, included: boolean): Attachment {
  const headers: HeaderList = [];
  for (let index = 0; index < part.headers.length; index += 2) {
    const name = part.headers[index] ?? '';
    if (!ownHeaders.has(name.toLowerCase())) headers.push(name, part.headers[index + 1] ?? '');
  }
  return {
    contentId: contentIdOf(part),
    contentType: getHeader(part.headers, 'Content-Type') ?? 'application/octet-stream',
    headers,
    bytes: decodedBody(part),
    included,
  };
}

/** The Content-ID of a part without angle brackets; empty when it has none. */
export function contentIdOf({ headers }: Part): string {
  return (getHeader(headers, 'Content-ID') ?? '').trim().replace(/^<(.*)>$/, '$1');
}

/** The attachment as a part; its bytes go out as they are. */
export function partOf({ contentId, contentType, headers, bytes }: Attachment): Part {
  const fields = ['Content-Type', contentType, 'Content-Transfer-Encoding', 'binary'];
  if (contentId !== '') fields.push('Content-ID', `<${contentId}>`);
  return { headers: [...fields, ...headers], body: bytes };
}
