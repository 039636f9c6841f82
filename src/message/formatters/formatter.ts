import type { Payload } from '../payload.ts';

/** Turns a payload into the bytes of some media types. */
export interface Formatter {
  /** The name by which configuration refers to it. */
  readonly name: string;
  readonly mediaTypes: readonly string[];
  /** The text or bytes of the body; undefined when there is nothing to send. */
  format(payload: Payload): string | Uint8Array | undefined;
}

export function defineFormatter(formatter: Formatter): Formatter {
  return Object.freeze(formatter);
}
