import type { ContentType } from '../providers/template.ts';
import { defaultNames, type EmailSender, type Sender, type SenderProperty, type SmsSender } from '../senders/sender.ts';

interface PropertyBody {
  readonly key: string;
  readonly value: string | boolean | number;
}

/** A member that may be null says nothing. */
type Optional<Value> = Value | null | undefined;

export interface EmailBody {
  readonly name?: Optional<string>;
  readonly smtpServerHost?: Optional<string>;
  readonly smtpPort?: Optional<number>;
  readonly fromAddress: string;
  readonly userName?: Optional<string>;
  readonly password?: Optional<string>;
  readonly properties?: Optional<readonly PropertyBody[]>;
}

export interface SmsBody {
  readonly name?: Optional<string>;
  readonly provider: string;
  readonly providerURL: string;
  readonly key?: Optional<string>;
  readonly secret?: Optional<string>;
  readonly sender?: Optional<string>;
  readonly contentType?: Optional<ContentType>;
  readonly properties?: Optional<readonly PropertyBody[]>;
}

/** The sender that a body describes; `name` is that of the path. */
export function emailSenderOf(body: EmailBody, name: string | undefined): EmailSender {
  const { smtpServerHost, smtpPort, fromAddress, userName, password } = body;
  return {
    channel: 'email',
    name: name ?? (body.name || defaultNames.email),
    smtpServerHost: smtpServerHost ?? undefined,
    smtpPort: smtpPort ?? undefined,
    fromAddress,
    userName: userName ?? undefined,
    password: password ?? undefined,
    properties: propertiesOf(body.properties),
  };
}

export function smsSenderOf(body: SmsBody, name: string | undefined): SmsSender {
  const { provider, providerURL, key, secret, sender, contentType } = body;
  return {
    channel: 'sms',
    name: name ?? (body.name || defaultNames.sms),
    provider,
    providerURL,
    key: key ?? undefined,
    secret: secret ?? undefined,
    sender: sender ?? undefined,
    contentType: contentType ?? undefined,
    properties: propertiesOf(body.properties),
  };
}

/** The answer that shows a sender; `properties` only where there are some. */
export function bodyOf({ channel: _channel, properties, ...fields }: Sender): Readonly<Record<string, unknown>> {
  return properties.length === 0 ? fields : { ...fields, properties };
}

/** Values are kept as text; of several with one key the last counts. */
function propertiesOf(list: Optional<readonly PropertyBody[]>): readonly SenderProperty[] {
  const values = new Map((list ?? []).map(({ key, value }) => [key, String(value)]));
  return [...values].map(([key, value]) => ({ key, value }));
}
