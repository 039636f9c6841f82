import { defineSection, key } from './define.ts';
import { boolean } from './types.ts';

export const identityMgtPasswordResetEmail = defineSection({
  path: 'identity_mgt.password_reset_email',
  doc: 'Recovery of accounts by mail.',
  keys: {
    enablePasswordResetEmail: key('enable_password_reset_email', boolean(), {
      default: false,
      additional: true,
      doc: 'Lets users who forgot their password set another one.',
      effect: 'serves the API of account recovery.',
    }),
  },
});
