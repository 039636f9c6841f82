import { getLogger, type Clock } from '#core';
import type { EventBus } from '#events';
import type { SendNotice } from '#identity';

const log = getLogger('identity');

/** The stream on which notices to users leave as mail (identity 6.10). */
const mailStream = 'id_gov_notify_stream:1.0.0';

const texts: Readonly<Record<Parameters<SendNotice>[0]['template'], readonly [subject: string, body: string]>> = {
  passwordReset: [
    'Set a new password',
    'Somebody, hopefully you, asked for a new password for {{user-name}}. The code is {{confirmation-code}}\n\n' +
      'It is good for a day. If you did not ask, do nothing.',
  ],
  accountIdRecovery: ['Your user name', 'Your user name is {{user-name}}'],
  passwordResetSuccess: ['Your password was changed', 'The password of {{user-name}} was changed.'],
};

/** Publishes notices of account recovery for whoever sends mail; nothing is sent while nobody does. */
export function createNoticePublisher(events: EventBus | undefined, clock: Clock): SendNotice {
  return async ({ template, user, sendTo, values }) => {
    const [subject, text] = texts[template];
    const all = new Map([['user-name', user.name], ...values]);
    const body = text.replaceAll(/\{\{([\w-]+)\}\}/g, (_, name: string) => all.get(name) ?? '');
    const attributes = new Map<string, string>([
      ...all,
      ['notification-event', template],
      ['send-to', sendTo],
      ['subject', subject],
      ['body', body],
      ['footer', ''],
      ['content-type', 'text/plain'],
      ['locale', 'en_US'],
      ['userstore-domain', user.storeDomain],
      ['tenant-domain', user.tenant.domain],
    ]);
    const takers = await events?.handOver({ topic: mailStream, at: clock.now(), attributes });
    if (!takers) log.warn({ template, user: user.id }, 'nobody sends mail: a notice to a user was dropped');
  };
}
