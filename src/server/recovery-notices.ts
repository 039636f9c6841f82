import { getLogger, type Clock } from '#core';
import type { EventBus } from '#events';
import type { RecoveryNotice, SendNotice } from '#identity';

const log = getLogger('identity');

/** The streams on which notices to users leave, as mail and as text messages (identity 6.10). */
const mailStream = 'id_gov_notify_stream:1.0.0';
const smsStream = 'id_gov_sms_notify_stream:1.0.0';

interface Text {
  readonly subject: string;
  readonly body: string;
  /** What a text message says, which has no room. */
  readonly short: string;
}

const texts: Readonly<Record<RecoveryNotice['template'], Text>> = {
  passwordReset: {
    subject: 'Set a new password',
    body:
      'Somebody, hopefully you, asked for a new password for {{user-name}}. Set it here:\n\n{{link}}\n\n' +
      'The code is {{confirmation-code}}\n\nIt is good for a day. If you did not ask, do nothing.',
    short: 'Your code for a new password is {{confirmation-code}}. If you did not ask for it, tell it to nobody.',
  },
  accountIdRecovery: {
    subject: 'Your user name',
    body: 'Your user name is {{user-name}}',
    short: 'Your user name is {{user-name}}',
  },
  passwordResetSuccess: {
    subject: 'Your password was changed',
    body: 'The password of {{user-name}} was changed.',
    short: 'The password of {{user-name}} was changed.',
  },
};

export interface NoticePublisherParts {
  readonly events: EventBus | undefined;
  readonly clock: Clock;
  /** Where the pages of account recovery are. */
  readonly publicUrl: string;
}

/** Publishes notices of account recovery for whoever sends them; nothing is sent while nobody does. */
export function createNoticePublisher({ events, clock, publicUrl }: NoticePublisherParts): SendNotice {
  return async (notice) => {
    const { template, channel, user } = notice;
    const topic = channel === 'SMS' ? smsStream : mailStream;
    const takers = await events?.handOver({ topic, at: clock.now(), attributes: attributesOf(notice, publicUrl) });
    if (!takers) log.warn({ template, channel, user: user.id }, 'nobody sends such a notice to a user: it was dropped');
  };
}

function attributesOf(notice: RecoveryNotice, publicUrl: string): ReadonlyMap<string, string> {
  const { template, channel, user, sendTo, values } = notice;
  const { domain } = user.tenant;
  const pages = `${publicUrl}${user.tenant.id < 0 ? '' : `/t/${domain}`}/accountrecoveryendpoint`;
  const link = new URLSearchParams({
    confirmation: values.get('confirmation-code') ?? '',
    userstoredomain: user.storeDomain,
    username: user.name,
    tenantdomain: domain,
  });
  const places = new Map([
    ['user-name', user.name],
    ['link', `${pages}/confirmrecovery.do?${link.toString()}`],
    ...values,
  ]);
  const { subject, body, short } = texts[template];
  const text = (channel === 'SMS' ? short : body).replaceAll(
    /\{\{([\w-]+)\}\}/g,
    (_, name: string) => places.get(name) ?? '',
  );
  const mail = { subject, footer: '', 'content-type': 'text/plain' };
  return new Map<string, string>([
    ...values,
    ...Object.entries({
      'user-name': user.name,
      'notification-event': template,
      'send-to': sendTo,
      body: text,
      locale: 'en_US',
      'userstore-domain': user.storeDomain,
      'tenant-domain': domain,
      'account.recovery.endpoint-url': pages,
      ...(channel === 'SMS' ? { mobile: sendTo } : mail),
    }),
  ]);
}
