import { defineSection, key } from './define.ts';
import { boolean, duration } from './types.ts';

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
    smsOtpValidity: key('sms_otp_validity', duration('m', { min: 1 }), {
      default: 1,
      additional: true,
      doc: 'How long a one-time code is good that was sent as a text message.',
      effect: 'a code that is entered later is refused.',
    }),
  },
});

export const identityMgtNotificationChannelRecovery = defineSection({
  path: 'identity_mgt.notification_channel_recovery',
  doc: 'Codes between the steps of account recovery.',
  keys: {
    recoveryCodeValidity: key('recovery_code_validity', duration('m', { min: 1 }), {
      default: 1,
      additional: true,
      doc: 'How long the code is good that chooses a channel.',
      effect: 'a code that comes later is refused, and nothing is sent.',
    }),
    resendCodeValidity: key('resend_code_validity', duration('m', { min: 1 }), {
      default: 1,
      additional: true,
      doc: 'How long the code is good that has a notice sent again.',
      effect: 'a code that comes later is refused, and nothing is sent again.',
    }),
  },
});
