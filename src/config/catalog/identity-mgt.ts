import { defineSection, key } from './define.ts';
import { boolean, duration } from './types.ts';

/** How many minutes a code is good. */
const validity = (name: string, doc: string, effect: string) =>
  key(name, duration('m', { min: 1 }), { default: 1, additional: true, doc, effect });

export const identityMgtPasswordResetEmail = defineSection({
  path: 'identity_mgt.password_reset_email',
  doc: 'Recovery of accounts.',
  keys: {
    enablePasswordResetEmail: key('enable_password_reset_email', boolean(), {
      default: false,
      additional: true,
      doc: 'Lets users who forgot their password set another one, by mail or text message.',
      effect: 'serves the API and the pages of account recovery, and the way to them on the login page.',
    }),
  },
});

export const identityMgtPasswordResetSms = defineSection({
  path: 'identity_mgt.password_reset_sms',
  doc: 'Recovery of accounts by text message.',
  keys: {
    smsOtpValidity: validity(
      'sms_otp_validity',
      'How long a one-time code is good that was sent as a text message.',
      'a code that is entered later is refused.',
    ),
  },
});

export const identityMgtNotificationChannelRecovery = defineSection({
  path: 'identity_mgt.notification_channel_recovery',
  doc: 'Codes between the steps of account recovery.',
  keys: {
    recoveryCodeValidity: validity(
      'recovery_code_validity',
      'How long the code is good that chooses a channel.',
      'a code that comes later is refused, and nothing is sent.',
    ),
    resendCodeValidity: validity(
      'resend_code_validity',
      'How long the code is good that has a notice sent again.',
      'a code that comes later is refused, and nothing is sent again.',
    ),
  },
});
