import type { Mapping } from '../publishers/mapping.ts';
import type { Publisher } from '../publishers/publisher.ts';
import { bodyReferences, fillTemplate, type ContentType, type ProviderTemplate } from '../providers/template.ts';
import { propertiesOf, reservedKeys, type EmailSender, type Sender, type SmsSender } from './sender.ts';

/** Templates by the provider's name in lower case, as they are now. */
export type Templates = ReadonlyMap<string, ProviderTemplate>;

/**
 * The publisher that a sender stands for: it takes the stream of the publisher of its name in the super tenant, and its
 * own properties win over what is fixed (identity 6.4, 6.6). Undefined when no body can be made for it.
 */
export function publisherOf(sender: Sender, base: Publisher, templates: Templates): Publisher | undefined {
  const own = new Map([...propertiesOf(sender)].filter(([key]) => isForAdapter(key)));
  const { name } = sender;
  const { stream } = base;
  if (sender.channel === 'email') {
    const properties = new Map([...emailProperties(sender), ...own]);
    return { name, stream, mapping: emailMapping, adapter: 'email', properties };
  }
  const mapping = smsMapping(sender, templates);
  const properties = new Map([['http.client.method', 'HttpPost'], ['http.url', sender.providerURL], ...own]);
  return mapping && { name, stream, mapping, adapter: 'http', properties };
}

/** The text that is sent to the provider, with places for recipient and message; undefined when there is none. */
export function smsMapping(sender: SmsSender, templates: Templates): Mapping | undefined {
  const body = propertiesOf(sender).get('body');
  if (body !== undefined && body !== '') {
    return { type: sender.contentType === 'FORM' ? 'form' : 'json', inline: body };
  }
  const chosen = chosenTemplate(sender, templates);
  if (!chosen) return undefined;
  const values = new Map([...propertiesOf(sender)].filter(([key]) => key.startsWith('body.')));
  for (const key of ['key', 'secret', 'sender'] as const) {
    if (sender[key]) values.set(key, sender[key]);
  }
  return { type: chosen.type === 'FORM' ? 'form' : 'json', inline: fillTemplate(chosen.text, chosen.type, values) };
}

/** Properties that the template wants and the sender does not have, such as `body.scope` (ruling 9). */
export function missingProperties(sender: SmsSender, templates: Templates): readonly string[] {
  const properties = propertiesOf(sender);
  if (properties.get('body')) return [];
  const chosen = chosenTemplate(sender, templates);
  return chosen ? [...new Set(bodyReferences(chosen.text))].filter((name) => !properties.has(name)) : [];
}

function chosenTemplate(
  { provider, contentType }: SmsSender,
  templates: Templates,
): { text: string; type: ContentType } | undefined {
  const template = templates.get(provider.toLowerCase());
  const type = contentType ?? template?.natural ?? 'JSON';
  const text = template?.forms[type];
  return text === undefined ? undefined : { text, type };
}

const emailMapping: Mapping = { type: 'text', inline: '{{body}}{{footer}}' };

function emailProperties(sender: EmailSender): readonly (readonly [string, string])[] {
  const optional: readonly (readonly [string, string | undefined])[] = [
    ['mail.smtp.password', sender.password],
    ['mail.smtp.from', sender.fromAddress],
    ['mail.smtp.user', sender.userName],
    ['mail.smtp.host', sender.smtpServerHost],
    ['mail.smtp.port', sender.smtpPort === undefined ? undefined : String(sender.smtpPort)],
  ];
  return [
    ['email.address', '{{send-to}}'],
    ['email.type', '{{content-type}}'],
    ['email.subject', '{{subject}}'],
    ...optional.flatMap(([key, value]) => (value === undefined || value === '' ? [] : [[key, value] as const])),
  ];
}

function isForAdapter(key: string): boolean {
  return !reservedKeys.has(key) && key !== 'body' && !key.startsWith('body.');
}
