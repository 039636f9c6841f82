import { getLogger } from '#core';
import { MillraceError, toError } from '#errors';
import { localDialect } from '../claims/local-claims.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { UserGround } from '../users/ground.ts';
import type { User } from '../users/users.ts';
import type { CodeUse, RecoveryCodes } from './recovery-codes.ts';

const log = getLogger('identity');
const usernameClaim = `${localDialect}username`;
const mailClaim = `${localDialect}emailaddress`;

/** A message to a user, by the name of its template (identity 6.10). */
export interface RecoveryNotice {
  readonly template: 'passwordReset' | 'accountIdRecovery' | 'passwordResetSuccess';
  readonly user: User;
  /** Address of mail. */
  readonly sendTo: string;
  /** Placeholders of the template, such as `confirmation-code`. */
  readonly values: ReadonlyMap<string, string>;
}

/** Sends notices; a failure is for the log, since answers must not tell whether there was anybody to send to. */
export type SendNotice = (notice: RecoveryNotice) => Promise<void>;

export interface RecoveryParts extends Pick<UserGround, 'users' | 'stores'> {
  readonly codes: RecoveryCodes;
  readonly notify: SendNotice;
}

/** A password with the code that allows it. */
export interface NewPassword {
  readonly code: string;
  readonly password: string;
}

/** Recovery of passwords and user names. Answers are the same whether there is such a user or not. */
export interface Recovery {
  /** The first code, for whoever the claims describe. */
  begin(use: 'password' | 'username', tenant: Tenant, claims: ReadonlyMap<string, string>): Promise<string>;
  /** Sends the code that confirms, and gives the one that sends it again. @throws MillraceError `UAR-10011` */
  sendCode(use: 'password' | 'resend', tenant: Tenant, code: string): Promise<string>;
  sendUserName(tenant: Tenant, code: string): Promise<void>;
  /** The code that resets, for the one that was mailed. */
  confirm(tenant: Tenant, code: string): Promise<string>;
  /** Sets the password and ends the user's sessions, tokens and codes. */
  reset(use: 'confirm' | 'reset', tenant: Tenant, given: NewPassword): Promise<void>;
}

export function createRecovery({ users, stores, codes, notify }: RecoveryParts): Recovery {
  const redeem = async (use: CodeUse, tenant: Tenant, code: string): Promise<User | undefined> => {
    const found = await codes.redeem(use, tenant, code);
    if (found) return found.user;
    throw new MillraceError({ code: 'UAR-10011', status: 400, message: 'The code is not valid' });
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

  const send = async (
    user: User | undefined,
    template: RecoveryNotice['template'],
    values: ReadonlyMap<string, string>,
  ): Promise<void> => {
    const sendTo = user && (await users.claims(user, [mailClaim])).get(mailClaim);
    if (!user || sendTo === undefined) return;
    await notify({ template, user, sendTo, values }).catch((error: unknown) => {
      log.error({ template, user: user.id, err: toError(error) }, 'a notice of account recovery could not be sent');
    });
  };

  return {
    begin: async (use, tenant, claims) => codes.issue(use, tenant, await find(tenant, claims)),
    async sendCode(use, tenant, code) {
      const user = await redeem(use, tenant, code);
      const confirmation = await codes.issue('confirm', tenant, user);
      void send(user, 'passwordReset', new Map([['confirmation-code', confirmation]]));
      return codes.issue('resend', tenant, user);
    },
    async sendUserName(tenant, code) {
      const user = await redeem('username', tenant, code);
      void send(user, 'accountIdRecovery', new Map([['user-name', user?.name ?? '']]));
    },
    async confirm(tenant, code) {
      return codes.issue('reset', tenant, await redeem('confirm', tenant, code));
    },
    async reset(use, tenant, { code, password }) {
      const user = await redeem(use, tenant, code);
      if (!user) throw new MillraceError({ code: 'UAR-10011', status: 400, message: 'The code is not valid' });
      try {
        await users.setPassword(user, password);
      } catch (error) {
        // A password that breaks the rules costs nobody the code: the same one comes back with the refusal.
        if (error instanceof MillraceError && error.code === 'MR_USER_PASSWORD') await codes.restore(use, user, code);
        throw error;
      }
      await codes.forget(user);
      void send(user, 'passwordResetSuccess', new Map());
    },
  };
}
