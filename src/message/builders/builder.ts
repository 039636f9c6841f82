import type { Attachment } from '../attachments.ts';
import { decodeBody } from '../charset.ts';
import type { XmlElement } from '#xml';

/**
 * What a builder makes of the bytes of a message: JSON text, XML as text or as a tree, plain text, bytes, or a whole
 * envelope. Extensions need only the forms that are texts and bytes.
 */
export type Built =
  | { readonly form: 'json'; readonly text: string }
  | { readonly form: 'xml'; readonly text: string }
  | { readonly form: 'text'; readonly text: string }
  | { readonly form: 'binary'; readonly bytes: Uint8Array }
  | { readonly form: 'content'; readonly content: readonly XmlElement[]; readonly attachments?: readonly Attachment[] }
  | { readonly form: 'envelope'; readonly envelope: XmlElement; readonly attachments?: readonly Attachment[] };

export interface BuilderInput {
  /** The body, content codings undone. */
  readonly bytes: Uint8Array;
  /** The Content-Type as received, or the one that stands in for a missing one. */
  readonly contentType: string;
  /** The query of the request, for form data; empty when there is none. */
  readonly query: string;
  /** True where the service admits document type declarations. */
  readonly allowDtd?: boolean;
  /** True where `text/xml` may hold something else than an envelope. */
  readonly allowPlainXml?: boolean;
  /** Makes the error for a fault that shows only when the part of the body that holds it is read. */
  readonly malformed?: (error: Error) => Error;
}

/**
 * Turns the bytes of a message into a payload. Modules of `<home>/extensions` export one, or a class that makes one,
 * and `[message_builders]` names them.
 */
export interface Builder {
  readonly name?: string;
  /** @throws Error when the bytes are not what the media type promises */
  build(input: BuilderInput): Built;
}

/** Declares a built-in builder, named as the class map names it. */
export function defineBuilder<const Name extends string>(
  builder: Builder & { readonly name: Name },
): Builder & { readonly name: Name } {
  return Object.freeze(builder);
}

/** The bytes as text: a byte order mark wins, then the charset that the content type names, then UTF-8. */
export function textOf({ bytes, contentType }: BuilderInput): string {
  return decodeBody(bytes, contentType);
}
