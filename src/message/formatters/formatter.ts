import type { SoapVersion } from '#xml';
import type { AttachmentSettings } from '../attachments.ts';
import type { Payload } from '../payload.ts';

/** A body with the Content-Type that only its formatter can know, such as one with a boundary. */
export interface FormattedBody {
  readonly body: string | Uint8Array;
  readonly contentType: string;
}

/** Text, which is encoded in the charset of the message, or bytes; undefined when there is nothing to send. */
export type Formatted = string | Uint8Array | FormattedBody | undefined;

export interface FormatterInput {
  readonly payload: Payload;
  /** The media type to write, without parameters. */
  readonly mediaType: string;
  /** The charset in which texts will be encoded, for formatters that write them into parts. */
  readonly charset: string;
  /** The version to write an envelope in where the media type leaves it open; its own one when absent. */
  readonly soapVersion?: SoapVersion | undefined;
  /** Which attachments the message carries outside of its envelope. */
  readonly attachments: AttachmentSettings;
  /** A property of scope axis2. */
  property(name: string): unknown;
}

/**
 * Turns a payload into a body. Modules of `<home>/extensions` export one, or a class that makes one, and
 * `[message_formatters]` names them.
 */
export interface Formatter {
  readonly name?: string;
  /** @throws Error when the payload cannot be written so */
  format(input: FormatterInput): Formatted;
}

/** Declares a built-in formatter, named as the class map names it. */
export function defineFormatter<const Name extends string>(
  formatter: Formatter & { readonly name: Name },
): Formatter & { readonly name: Name } {
  return Object.freeze(formatter);
}

/** True for the values with which artifacts switch something on. */
export function isOn(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}
