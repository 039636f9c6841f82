import { getLogger } from '#core';
import { MillraceError, toError } from '#errors';
import { localDialect } from '../claims/local-claims.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { UserGround } from '../users/ground.ts';
import type { User } from '../users/users.ts';
import type { OneTimeCode, OneTimeCodes } from './one-time-codes.ts';
import type { CodeUse, RecoveryCodes } from './recovery-codes.ts';
import type { SentNotices } from './sent-notices.ts';

const log = getLogger('identity');
const usernameClaim = `${localDialect}username`;

/** The way on which a notice goes, as the original names it. */
export type Channel = 'EMAIL' | 'SMS';

/** Where users say how they are reached (identity 6.10). */
const claimOf: Readonly<Record<Channel, string>> = {
  EMAIL: `${localDialect}emailaddress`,
  SMS: `${localDialect}mobile`,
};

/** A message to a user, by the name of its template (identity 6.10). */
export interface RecoveryNotice {
  readonly template: 'passwordReset' | 'accountIdRecovery' | 'passwordResetSuccess';
  readonly channel: Channel;
  readonly user: User;
  /** Address of mail, or number of a telephone. */
  readonly sendTo: string;
  /** Placeholders of the template, such as `confirmation-code`. */
  readonly values: ReadonlyMap<string, string>;
}

/** Sends notices; a failure is for the log, since answers must not tell whether there was anybody to send to. */
export type SendNotice = (notice: RecoveryNotice) => Promise<void>;

export interface RecoveryParts extends Pick<UserGround, 'users' | 'stores'> {
  readonly codes: RecoveryCodes;
  readonly oneTime: OneTimeCodes;
  readonly sent: SentNotices;
  readonly notify: SendNotice;
}

/** A password with the code that allows it. */
export interface NewPassword {
  readonly code: string;
  readonly password: string;
}

/** What follows a notice that was sent, or would have been. */
export interface Sent {
  readonly channel: Channel;
  /** Has it sent again. */
  readonly resendCode: string;
  /** What a one-time code is confirmed with; mails carry a code that needs nothing else. */
  readonly flow: string | undefined;
}

/** What forms ask of what is typed; undefined for anything. */
export interface FormPatterns {
  readonly username: RegExp | undefined;
  readonly password: RegExp | undefined;
}

/** Recovery of passwords and user names. Answers are the same whether there is such a user or not. */
export interface Recovery {
  /** The patterns of the tenant's first store, which forms show before anybody is known. */
  patterns(tenant: Tenant): Promise<FormPatterns>;
  /** The first code, for whoever the claims describe. */
  begin(use: 'password' | 'username', tenant: Tenant, claims: ReadonlyMap<string, string>): Promise<string>;
  /** Sends the code that confirms. @throws MillraceError `UAR-10011` */
  sendCode(tenant: Tenant, code: string, channel: Channel): Promise<Sent>;
  resendCode(tenant: Tenant, code: string): Promise<Sent>;
  sendUserName(tenant: Tenant, code: string, channel: Channel): Promise<void>;
  /** The code that resets, for the one that was mailed, or the one-time code of a flow. */
  confirm(tenant: Tenant, given: string | OneTimeCode): Promise<string>;
  /** Sets the password and ends the user's sessions, tokens and codes. */
  reset(use: 'confirm' | 'reset', tenant: Tenant, given: NewPassword): Promise<void>;
}

export function createRecovery({ users, stores, codes, oneTime, sent, notify }: RecoveryParts): Recovery {
  const redeem = async (use: CodeUse, tenant: Tenant, code: string): Promise<User | undefined> => {
    const found = await codes.redeem(use, tenant, code);
    if (!found) throw wrongCode();
    return found.user;
  };

  const find = async (tenant: Tenant, claims: ReadonlyMap<string, string>): Promise<User | undefined> => {
    const { [usernameClaim]: name, ...others } = Object.fromEntries(claims);
    const [first] = Object.entries(others);
    const candidates: User[] = [];
    if (name !== undefined) candidates.push(...[await users.find(tenant, name)].flatMap((user) => user ?? []));
    else if (first) {
      for (const store of await stores.of(tenant)) candidates.push(...(await store.findByClaim(tenant, first)));
    }
    const matching: User[] = [];
    for (const user of candidates) {
      const values = await users.claims(user, Object.keys(others));
      if (Object.entries(others).every(([claim, value]) => values.get(claim) === value)) matching.push(user);
    }
    // Claims that describe several people describe nobody.
    return matching.length === 1 ? matching[0] : undefined;
  };

  /** Sends a notice after the answer, so that the answer takes as long for nobody as for somebody. */
  const send = (user: User | undefined, notice: Pick<RecoveryNotice, 'template' | 'channel' | 'values'>): void => {
    const { template, channel } = notice;
    if (!user) return;
    const attempt = async (): Promise<void> => {
      const sendTo = (await users.claims(user, [claimOf[channel]])).get(claimOf[channel]);
      if (sendTo === undefined) return;
      if (template !== 'passwordResetSuccess' && !(await sent.admit(user, channel))) {
        log.warn({ template, channel, user: user.id }, 'a user had too many notices of account recovery lately');
        return;
      }
      await notify({ ...notice, user, sendTo });
    };
    attempt().catch((error: unknown) => {
      log.error({ template, user: user.id, err: toError(error) }, 'a notice of account recovery could not be sent');
    });
  };

  const sendCodeTo = async (tenant: Tenant, user: User | undefined, channel: Channel): Promise<Sent> => {
    const code = channel === 'SMS' ? await oneTime.issue(tenant, user) : await codes.issue('confirm', tenant, user);
    const text = typeof code === 'string' ? code : code.code;
    send(user, { template: 'passwordReset', channel, values: new Map([['confirmation-code', text]]) });
    return {
      channel,
      resendCode: await codes.issue(resendUses[channel], tenant, user),
      flow: typeof code === 'string' ? undefined : code.flow,
    };
  };

  return {
    async patterns(tenant) {
      const [first] = await stores.of(tenant);
      return { username: first?.rules.usernameForm, password: first?.rules.passwordForm };
    },
    begin: async (use, tenant, claims) => codes.issue(use, tenant, await find(tenant, claims)),
    async sendCode(tenant, code, channel) {
      return sendCodeTo(tenant, await redeem('password', tenant, code), channel);
    },
    async resendCode(tenant, code) {
      for (const channel of ['EMAIL', 'SMS'] as const) {
        const found = await codes.redeem(resendUses[channel], tenant, code);
        if (found) return sendCodeTo(tenant, found.user, channel);
      }
      throw wrongCode();
    },
    async sendUserName(tenant, code, channel) {
      const user = await redeem('username', tenant, code);
      send(user, { template: 'accountIdRecovery', channel, values: new Map([['user-name', user?.name ?? '']]) });
    },
    async confirm(tenant, given) {
      if (typeof given === 'string') return codes.issue('reset', tenant, await redeem('confirm', tenant, given));
      const found = await oneTime.redeem(tenant, given);
      if (!found) throw wrongCode();
      return codes.issue('reset', tenant, found.user);
    },
    async reset(use, tenant, { code, password }) {
      const user = await redeem(use, tenant, code);
      if (!user) throw wrongCode();
      try {
        await users.setPassword(user, password);
      } catch (error) {
        // A password that breaks the rules costs nobody the code: the same one comes back with the refusal.
        if (error instanceof MillraceError && error.code === 'MR_USER_PASSWORD') await codes.restore(use, user, code);
        throw error;
      }
      await codes.forget(user);
      await oneTime.forget(user);
      log.info({ user: user.id, tenant: tenant.domain }, 'a password was set by account recovery');
      send(user, { template: 'passwordResetSuccess', channel: 'EMAIL', values: new Map() });
    },
  };
}

const resendUses = { EMAIL: 'resend', SMS: 'resend-sms' } as const;

/** One refusal for all that can be wrong with a code. */
function wrongCode(): MillraceError {
  return new MillraceError({ code: 'UAR-10011', status: 400, message: 'The code is not valid' });
}
