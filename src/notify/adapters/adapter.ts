import type { Clock } from '#core';
import type { HttpSender } from '#transport';
import type { Publisher } from '../publishers/publisher.ts';

/** One message on its way out. */
export interface Delivery {
  /** The same for every attempt; the receiver can tell a repetition by it. */
  readonly id: string;
  readonly publisher: Publisher;
  readonly body: string;
  readonly contentType: string;
  /** Properties of the adapter that the event gave a value. */
  readonly values: Readonly<Record<string, string>>;
}

export type Outcome =
  | { readonly kind: 'sent'; readonly detail: string; readonly answer?: string }
  /** Worth another attempt; not before `after` milliseconds where the receiver said so. */
  | { readonly kind: 'failed'; readonly detail: string; readonly answer?: string; readonly after?: number }
  /** No attempt will ever succeed. */
  | { readonly kind: 'refused'; readonly detail: string; readonly answer?: string };

/** Mail server settings of a section of the configuration. */
export interface MailDefaults {
  /** Properties by the names of the email adapter. */
  readonly properties: ReadonlyMap<string, string>;
  /** Line at the end of each mail. */
  readonly signature: string | undefined;
}

/** What adapters work with. */
export interface AdapterTools {
  readonly clock: Clock;
  readonly sender: HttpSender;
  /** A sender through a proxy; kept and closed by its giver. */
  readonly senderThrough: (proxy: { readonly host: string; readonly port: number }) => HttpSender;
  readonly mailDefaults: (section: 'output_adapter.email' | 'apim.notifications') => MailDefaults;
  /** Certificates (PEM) that mail servers may show besides those of the system; undefined without a trust store. */
  readonly trusted: () => readonly string[] | undefined;
  /** Milliseconds that a receiver may take. */
  readonly patience: number;
  /** Hears of each step, for a test from the shell. */
  readonly report?: ((step: string) => void) | undefined;
}

/** A property that an adapter cannot use. */
export interface PropertyProblem {
  readonly key: string;
  readonly rule: string;
}

/** One way out of the server. */
export interface OutputAdapter {
  /** As `eventAdapterType` names it. */
  readonly type: string;
  /** Properties that may have places for attributes, all others are fixed. */
  readonly dynamic: readonly string[];
  /** The first property with a value that cannot be used. */
  check(properties: ReadonlyMap<string, string>): PropertyProblem | undefined;
  /**
   * The messages that an event makes, each with its own values.
   *
   * @throws MillraceError `MR_NOTIFY_RECIPIENT` when there is nobody to send to
   */
  split(values: Readonly<Record<string, string>>): readonly Readonly<Record<string, string>>[];
  /** Sends once; never rejects for what the far end does. */
  deliver(delivery: Delivery, tools: AdapterTools): Promise<Outcome>;
}

export function defineAdapter(adapter: OutputAdapter): OutputAdapter {
  return Object.freeze(adapter);
}
