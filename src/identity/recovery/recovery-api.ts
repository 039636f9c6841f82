import { randomUUID } from 'node:crypto';
import type { Audit } from '#core';
import { createRestApi, defineOperation, jsonResponse, type Operation, type RestApi, type Schema } from '#rest';
import { localDialect } from '../claims/local-claims.ts';
import { tenantOfRequest } from '../http/tenant-site.ts';
import type { Tenant, Tenants } from '../tenants/tenant.ts';
import type { Channel, Recovery, Sent } from './recovery.ts';

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

/** Both, whatever the user has, and no part of an address: either would tell whether there is such a user. */
const channels = [
  { id: '1', type: 'EMAIL', value: '***@***', preferred: true },
  { id: '2', type: 'SMS', value: '***', preferred: false },
];

const channelIds: readonly string[] = channels.map(({ id }) => id);

function channelOf(id: string | undefined): Channel {
  return id === '2' ? 'SMS' : 'EMAIL';
}

interface RecoverBody {
  readonly recoveryCode: string;
  readonly channelId?: string | undefined;
}

const recoverBody: Schema<RecoverBody> = (z) =>
  z.object({ recoveryCode: z.string(), channelId: z.enum(channelIds).optional() });

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
  const sent = ({ channel, resendCode, flow }: Sent, status: number): Response =>
    jsonResponse(
      {
        code: 'UPR-02002',
        message: 'A notice was sent if there is such a user.',
        ...(flow !== undefined && { flowConfirmationCode: flow }),
        notificationChannel: channel,
        resendCode,
        links: [],
      },
      status,
    );
  return [
    begin('password'),
    begin('username'),
    defineOperation<unknown, unknown, RecoverBody>({
      id: 'passwordRecover',
      method: 'POST',
      path: '/password/recover',
      summary: 'Sends the code that confirms, by mail or as a text message',
      public: true,
      body: recoverBody,
      responses: { 202: { description: 'It was sent if there is such a user' } },
      async handle({ request, body: { recoveryCode, channelId } }) {
        return sent(await recovery.sendCode(tenantOfRequest(request), recoveryCode, channelOf(channelId)), 202);
      },
    }),
    defineOperation<unknown, unknown, { readonly resendCode: string }>({
      id: 'passwordResend',
      method: 'POST',
      path: '/password/resend',
      summary: 'Sends another code on the same channel',
      public: true,
      body: (z) => z.object({ resendCode: z.string() }),
      responses: { 201: { description: 'It was sent if there is such a user' } },
      async handle({ request, body: { resendCode } }) {
        return sent(await recovery.resendCode(tenantOfRequest(request), resendCode), 201);
      },
    }),
    defineOperation<unknown, unknown, RecoverBody>({
      id: 'usernameRecover',
      method: 'POST',
      path: '/username/recover',
      summary: 'Sends the user name',
      public: true,
      body: recoverBody,
      responses: { 202: { description: 'It was sent if there is such a user' } },
      async handle({ request, body: { recoveryCode, channelId } }) {
        const channel = channelOf(channelId);
        await recovery.sendUserName(tenantOfRequest(request), recoveryCode, channel);
        const message = 'The user name was sent if there is such a user.';
        return jsonResponse({ code: 'UNR-02001', message, notificationChannel: channel }, 202);
      },
    }),
    defineOperation<unknown, unknown, { readonly confirmationCode: string; readonly otp?: string | undefined }>({
      id: 'passwordConfirm',
      method: 'POST',
      path: '/password/confirm',
      summary: 'Takes the code that was mailed, or the flow with the one-time code of its text message',
      public: true,
      body: (z) => z.object({ confirmationCode: z.string(), otp: z.string().optional() }),
      responses: { 200: { description: 'The code that resets' } },
      async handle({ request, body: { confirmationCode, otp } }) {
        const given = otp === undefined ? confirmationCode : { flow: confirmationCode, code: otp };
        return { resetCode: await recovery.confirm(tenantOfRequest(request), given), links: [] };
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
        await recovery.sendCode(tenant, code, 'EMAIL');
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
