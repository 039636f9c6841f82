import {
  identityMgtNotificationChannelRecovery,
  identityMgtPasswordResetEmail,
  identityMgtPasswordResetSms,
  type Config,
} from '#config';
import type { Clock } from '#core';
import type { Database } from '#db';
import type { UserGround } from '../users/ground.ts';
import { createOneTimeCodes } from './one-time-codes.ts';
import { createRecoveryCodes } from './recovery-codes.ts';
import { createRecovery, type Recovery, type SendNotice } from './recovery.ts';
import { createSentNotices } from './sent-notices.ts';

export interface OpenRecoveryParts extends Pick<UserGround, 'users' | 'stores'> {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  readonly notify: SendNotice;
}

const minute = 60_000;

/** A day, as codes that are sent by mail have it (identity 5.6). */
const mailLifetime = 24 * 60 * minute;

/** A quarter of an hour to think of a password. */
const resetLifetime = 15 * minute;

/** Whether users can recover their accounts. */
export function offersRecovery(config: Config): boolean {
  return config.get(identityMgtPasswordResetEmail.enablePasswordResetEmail);
}

/** Account recovery as the configuration has it; undefined where it is off. */
export function openRecovery(parts: OpenRecoveryParts): Recovery | undefined {
  const { config, database, clock, users } = parts;
  if (!offersRecovery(config)) return undefined;
  const between = config.get(identityMgtNotificationChannelRecovery.recoveryCodeValidity) * minute;
  const resend = config.get(identityMgtNotificationChannelRecovery.resendCodeValidity) * minute;
  const lifetimes = {
    password: between,
    username: between,
    resend,
    'resend-sms': resend,
    confirm: mailLifetime,
    reset: resetLifetime,
  };
  return createRecovery({
    ...parts,
    codes: createRecoveryCodes({ database, clock, users, lifetimes }),
    oneTime: createOneTimeCodes({
      database,
      clock,
      users,
      lifetime: config.get(identityMgtPasswordResetSms.smsOtpValidity) * minute,
    }),
    sent: createSentNotices(database, clock),
  });
}
