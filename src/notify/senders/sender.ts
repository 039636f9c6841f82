import type { ContentType } from '../providers/template.ts';

export const channels = ['email', 'sms'] as const;
export type Channel = (typeof channels)[number];

export interface SenderProperty {
  readonly key: string;
  readonly value: string;
}

/** What a tenant says about its own mail server (identity 6.3). */
export interface EmailSender {
  readonly channel: 'email';
  readonly name: string;
  readonly smtpServerHost?: string | undefined;
  readonly smtpPort?: number | undefined;
  readonly fromAddress: string;
  readonly userName?: string | undefined;
  readonly password?: string | undefined;
  readonly properties: readonly SenderProperty[];
}

/** What a tenant says about its own SMS provider (identity 6.3; interface document, SMS request body). */
export interface SmsSender {
  readonly channel: 'sms';
  readonly name: string;
  readonly provider: string;
  readonly providerURL: string;
  readonly key?: string | undefined;
  readonly secret?: string | undefined;
  readonly sender?: string | undefined;
  readonly contentType?: ContentType | undefined;
  readonly properties: readonly SenderProperty[];
}

export type Sender = EmailSender | SmsSender;

/** Keys that only the server gives a value. */
export const reservedKeys: ReadonlySet<string> = new Set(['streamName', 'version', 'type']);

/** Names of senders for which the caller gives none; both are publishers of every new home. */
export const defaultNames: Readonly<Record<Channel, string>> = { email: 'EmailPublisher', sms: 'SMSPublisher' };

/** Properties by key; of several with one key the last counts. */
export function propertiesOf({ properties }: Sender): ReadonlyMap<string, string> {
  return new Map(properties.map(({ key, value }) => [key, value]));
}
