import { decodeText } from '#core/java';
import type { XmlElement } from '#xml';
import { parameterOf } from '../content-type.ts';

/** What a builder makes of the bytes of a message. */
export type Built =
  | { readonly form: 'json'; readonly text: string }
  | { readonly form: 'envelope'; readonly envelope: XmlElement }
  | { readonly form: 'content'; readonly content: readonly XmlElement[] };

export interface BuilderInput {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** The query of the request, for form data; empty when there is none. */
  readonly query: string;
}

/** Turns the bytes of some media types into a payload. */
export interface Builder {
  /** The name by which configuration refers to it. */
  readonly name: string;
  readonly mediaTypes: readonly string[];
  /** @throws Error when the bytes are not what the media type promises */
  build(input: BuilderInput): Built;
}

export function defineBuilder(builder: Builder): Builder {
  return Object.freeze(builder);
}

/** The bytes as text in the charset that the content type names; UTF-8 when it names none. */
export function textOf({ bytes, contentType }: BuilderInput): string {
  const charset = parameterOf(contentType, 'charset');
  return decodeText(bytes, charset ?? 'UTF-8');
}
