import { randomUUID } from 'node:crypto';
import type { Audit } from '#core';
import { createRestApi, defineOperation, jsonResponse, type Operation, type RestApi, type Schema } from '#rest';
import { localDialect } from '../claims/local-claims.ts';
import { tenantOfRequest } from '../http/tenant-site.ts';
import type { Tenant, Tenants } from '../tenants/tenant.ts';
import type { Recovery } from './recovery.ts';

export interface RecoveryApiParts {
  readonly recovery: Recovery;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly audit: Audit;
  readonly publicUrl: string;
}

interface ClaimsBody {
  readonly claims: readonly { readonly uri: string; readonly value: string }[];
}

const claimsBody: Schema<ClaimsBody> = (z) =>
  z.object({ claims: z.array(z.object({ uri: z.string(), value: z.string() })).min(1) });

/** The address is never shown, not even in part: it would tell whether there is such a user. */
const channels = [{ id: '1', type: 'EMAIL', value: '***@***', preferred: true }];

/** Account recovery in its current and its former API (identity 5.6). Nobody signs in here: codes are the proof. */
export function createRecoveryApi(parts: RecoveryApiParts): { readonly current: RestApi; readonly former: RestApi } {
  const options = (
    title: string,
    basePath: string,
    operations: readonly Operation[],
  ): Parameters<typeof createRestApi>[0] => ({
    title,
    version: 'v1',
    basePath,
    operations,
    publicUrl: parts.publicUrl,
    audit: parts.audit,
    errorBody: ({ code, message }) => ({ code, message, description: message, traceId: randomUUID() }),
  });
  return {
    current: createRestApi(options('Account recovery', '/api/users/v1/recovery', currentOperations(parts.recovery))),
    former: createRestApi(options('Account recovery, former', '/api/identity/recovery/v0.9', formerOperations(parts))),
  };
}

function currentOperations(recovery: Recovery): Operation[] {
  const begin = (kind: 'password' | 'username'): Operation =>
    defineOperation<unknown, unknown, ClaimsBody>({
      id: `${kind}Init`,
      method: 'POST',
      path: `/${kind}/init`,
      summary: 'Finds a way to reach whoever the claims describe',
      public: true,
      body: claimsBody,
      responses: { 200: { description: 'How the user can be reached' } },
      async handle({ request, body }) {
        const claims = new Map(body.claims.map(({ uri, value }) => [uri, value]));
        const recoveryCode = await recovery.begin(kind, tenantOfRequest(request), claims);
        return [{ mode: 'recoverWithNotifications', channelInfo: { recoveryCode, channels }, links: [] }];
      },
    });
  const sent = (resendCode: string, status: number): Response =>
    jsonResponse(
      {
        code: 'UPR-02002',
        message: 'A notice was sent if there is such a user.',
        notificationChannel: 'EMAIL',
        resendCode,
        links: [],
      },
      status,
    );
  const sending = (name: 'recover' | 'resend', use: 'password' | 'resend', member: string): Operation =>
    defineOperation<unknown, unknown, Readonly<Record<string, unknown>>>({
      id: `password${name}`,
      method: 'POST',
      path: `/password/${name}`,
      summary: 'Sends the code that confirms',
      public: true,
      body: (z) => z.object({ [member]: z.string() }).catchall(z.unknown()),
      responses: { [name === 'recover' ? 202 : 201]: { description: 'It was sent if there is such a user' } },
      async handle({ request, body }) {
        const again = await recovery.sendCode(use, tenantOfRequest(request), String(body[member]));
        return sent(again, name === 'recover' ? 202 : 201);
      },
    });
  return [
    begin('password'),
    begin('username'),
    sending('recover', 'password', 'recoveryCode'),
    sending('resend', 'resend', 'resendCode'),
    defineOperation<unknown, unknown, { readonly recoveryCode: string }>({
      id: 'usernameRecover',
      method: 'POST',
      path: '/username/recover',
      summary: 'Sends the user name',
      public: true,
      body: (z) => z.object({ recoveryCode: z.string() }),
      responses: { 202: { description: 'It was sent if there is such a user' } },
      async handle({ request, body }) {
        await recovery.sendUserName(tenantOfRequest(request), body.recoveryCode);
        const message = 'The user name was sent if there is such a user.';
        return jsonResponse({ code: 'UNR-02001', message, notificationChannel: 'EMAIL' }, 202);
      },
    }),
    defineOperation<unknown, unknown, { readonly confirmationCode: string }>({
      id: 'passwordConfirm',
      method: 'POST',
      path: '/password/confirm',
      summary: 'Takes the code that was sent',
      public: true,
      body: (z) => z.object({ confirmationCode: z.string() }),
      responses: { 200: { description: 'The code that resets' } },
      async handle({ request, body }) {
        return { resetCode: await recovery.confirm(tenantOfRequest(request), body.confirmationCode), links: [] };
      },
    }),
    defineOperation<unknown, unknown, { readonly resetCode: string; readonly password: string }>({
      id: 'passwordReset',
      method: 'POST',
      path: '/password/reset',
      summary: 'Sets the password and ends sessions and tokens',
      public: true,
      body: (z) => z.object({ resetCode: z.string(), password: z.string() }),
      responses: { 200: { description: 'The password was set' } },
      async handle({ request, body }) {
        await recovery.reset('reset', tenantOfRequest(request), { code: body.resetCode, password: body.password });
        return { code: 'UPR-02005', message: 'The password was set.' };
      },
    }),
  ];
}

interface FormerUser {
  readonly user: { readonly username: string; readonly 'tenant-domain'?: string | undefined };
}

function formerOperations({ recovery, tenants }: RecoveryApiParts): Operation[] {
  const tenantOf = async (request: Request, domain: string | undefined): Promise<Tenant> =>
    (domain === undefined ? undefined : await tenants.find(domain)) ?? tenantOfRequest(request);
  return [
    defineOperation<unknown, unknown, FormerUser>({
      id: 'recoverPassword',
      method: 'POST',
      path: '/recover-password',
      summary: 'Sends the code that sets a password',
      public: true,
      body: (z) => z.object({ user: z.object({ username: z.string(), 'tenant-domain': z.string().optional() }) }),
      responses: { 202: { description: 'It was sent if there is such a user' } },
      async handle({ request, body: { user } }) {
        const tenant = await tenantOf(request, user['tenant-domain']);
        const code = await recovery.begin('password', tenant, new Map([[`${localDialect}username`, user.username]]));
        await recovery.sendCode('password', tenant, code);
        return new Response(null, { status: 202 });
      },
    }),
    defineOperation<unknown, unknown, { readonly key: string; readonly password: string }>({
      id: 'setPassword',
      method: 'POST',
      path: '/set-password',
      summary: 'Sets the password and ends sessions and tokens',
      public: true,
      body: (z) => z.object({ key: z.string(), password: z.string() }),
      responses: { 200: { description: 'The password was set' } },
      async handle({ request, body }) {
        await recovery.reset('confirm', tenantOfRequest(request), { code: body.key, password: body.password });
        return new Response(null, { status: 200 });
      },
    }),
  ];
}
