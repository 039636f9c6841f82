import type { MessageFormats } from './formats/message-formats.ts';
import type { WrapperName } from './wrappers.ts';

/** What a payload must know of the message that brought it. */
export interface PayloadOrigin {
  /** Content-Type as received; undefined when there was none. */
  readonly contentType: string | undefined;
  readonly hasSoapAction: boolean;
  /** The query of the request line, for form data. */
  readonly query: string;
  /** The method of a request; undefined for replies. */
  readonly method?: string | undefined;
  /** Content-Encoding as received. */
  readonly contentEncoding?: string | undefined;
  /** What the service wants of reading that differs from the usual. */
  readonly reading?: ReadingOptions | undefined;
}

/** How a service reads its requests. */
export interface ReadingOptions {
  readonly allowDtd: boolean;
  /** True where `text/xml` may hold something else than an envelope. */
  readonly allowPlainXml: boolean;
  /** The element around text and bytes; the usual ones when undefined. */
  readonly wrapper: WrapperName | undefined;
}

export const noOrigin: PayloadOrigin = { contentType: undefined, hasSoapAction: false, query: '' };

/** What a body is taken for that says nothing about itself (runtime-core 6.2). */
export function assumedContentType({ method }: PayloadOrigin, formats: MessageFormats): string {
  if (method === undefined) return 'application/octet-stream';
  const isForm = method === 'GET' || method === 'DELETE';
  return isForm ? 'application/x-www-form-urlencoded' : formats.defaultRequestType;
}
