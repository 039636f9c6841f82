import { MillraceError } from '#errors';
import { defineAdapter, type AdapterTools, type Delivery } from './adapter.ts';
import { mailSessionOf, sessionProblem, type MailSession } from './mail-session.ts';
import { sendMail } from './send-mail.ts';

/** `email`: a mail to each recipient over SMTP (identity 6.9). */
export const emailAdapter = defineAdapter({
  type: 'email',
  dynamic: ['email.address', 'email.subject', 'email.type'],
  check(properties) {
    return sessionProblem(properties);
  },
  split(values) {
    const recipients = (values['email.address'] ?? '').replaceAll(/\s+/g, '').split(',').filter(Boolean);
    if (recipients.length > 0) return recipients.map((recipient) => ({ ...values, 'email.address': recipient }));
    throw new MillraceError({
      code: 'MR_NOTIFY_RECIPIENT',
      status: 422,
      message: 'The event names no recipient: email.address of the publisher is empty',
    });
  },
  async deliver(delivery, tools) {
    const session = mailSessionOf(propertiesOf(delivery, tools), tools.trusted());
    if ('missing' in session) return { kind: 'refused', detail: `${session.missing} has no value` };
    return sendMail(mailOf(delivery, { session, tools }), { session, tools });
  },
});

/** What a publisher says wins over the configuration; an own account is used without being told to. */
function propertiesOf({ publisher }: Delivery, tools: AdapterTools): ReadonlyMap<string, string> {
  const { properties: own, mailSection = 'output_adapter.email' } = publisher;
  const merged = new Map([...tools.mailDefaults(mailSection).properties, ...own]);
  if (own.get('mail.smtp.user') && !own.has('mail.smtp.auth')) merged.set('mail.smtp.auth', 'true');
  return merged;
}

export interface Mail {
  readonly messageId: string;
  readonly from: string | { readonly name: string; readonly address: string };
  readonly to: string;
  readonly subject: string;
  readonly replyTo: string | undefined;
  readonly isHtml: boolean;
  readonly body: string;
}

function mailOf(
  { id, publisher, body, values }: Delivery,
  { session, tools }: { readonly session: MailSession; readonly tools: AdapterTools },
): Mail {
  const { signature } = tools.mailDefaults(publisher.mailSection ?? 'output_adapter.email');
  const isHtml = /^text\/html\b/i.test(values['email.type'] ?? '');
  return {
    messageId: `<${id}@${session.from.slice(session.from.lastIndexOf('@') + 1)}>`,
    from: session.displayName === undefined ? session.from : { name: session.displayName, address: session.from },
    to: values['email.address'] ?? '',
    subject: values['email.subject'] ?? '',
    replyTo: session.replyTo,
    isHtml,
    body: signature === undefined ? body : body + signed(signature, isHtml),
  };
}

function signed(signature: string, isHtml: boolean): string {
  const escaped = signature.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return isHtml ? `<p>-- <br>${escaped}</p>` : `\n\n-- \n${signature}\n`;
}
