import { defineSection, key } from './define.ts';
import { boolean, port, secret, text } from './types.ts';

export const apimNotifications = defineSection({
  path: 'apim.notifications',
  doc: 'The mail server of API notifications.',
  keys: {
    fromAddress: key('from_address', text(), {
      doc: 'Sender address.',
      effect: 'From header and envelope sender of API manager notification mails.',
    }),
    username: key('username', text(), { doc: 'Mail account.', effect: 'SMTP AUTH user.' }),
    password: key('password', secret(), { doc: 'Mail password.', effect: 'SMTP AUTH password.' }),
    hostname: key('hostname', text(), { doc: 'SMTP server.', effect: 'mail server.' }),
    signature: key('signature', text(), { doc: 'Sender signature.', effect: 'appended to the mail body template.' }),
    port: key('port', port(), { default: 25, doc: 'SMTP port.', effect: 'SMTP port; 465 implies TLS from the start.' }),
    enableStartTls: key('enable_start_tls', boolean(), {
      default: false,
      doc: 'STARTTLS.',
      effect: 'STARTTLS required, certificate checked against the trust store.',
    }),
    enableAuthentication: key('enable_authentication', boolean(), {
      default: false,
      doc: 'AUTH command.',
      effect: 'use AUTH with username and password.',
    }),
  },
});

export const outputAdapterEmail = defineSection({
  path: 'output_adapter.email',
  doc: 'The mail server of event output.',
  keys: {
    fromAddress: key('from_address', text(), {
      doc: 'Sender address.',
      effect: 'From header and envelope sender of identity (password recovery) mails.',
    }),
    username: key('username', text(), { doc: 'Mail account.', effect: 'SMTP AUTH user.' }),
    password: key('password', secret(), { doc: 'Mail password.', effect: 'SMTP AUTH password.' }),
    hostname: key('hostname', text(), { doc: 'SMTP server.', effect: 'mail server.' }),
    signature: key('signature', text(), { doc: 'Sender signature.', effect: 'appended to the mail body template.' }),
    port: key('port', port(), { default: 25, doc: 'SMTP port.', effect: 'SMTP port; 465 implies TLS from the start.' }),
    enableStartTls: key('enable_start_tls', boolean(), {
      default: false,
      doc: 'STARTTLS.',
      effect: 'STARTTLS required, certificate checked against the trust store.',
    }),
    enableAuthentication: key('enable_authentication', boolean(), {
      default: false,
      doc: 'AUTH command.',
      effect: 'use AUTH with username and password.',
    }),
  },
});
