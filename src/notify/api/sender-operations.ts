import { defineOperation, jsonResponse, type Operation, type Schema } from '#rest';
import type { SenderService } from '../senders/sender-service.ts';
import type { Channel, Sender } from '../senders/sender.ts';
import type { NotifyTenant } from '../tenant.ts';
import { bodyOf, emailSenderOf, smsSenderOf } from './bodies.ts';
import { schemas } from './schemas.ts';

export interface SenderApiParts {
  readonly senders: SenderService;
  /** The tenant of a request, as its path and its caller say. */
  readonly tenantOf: (request: Request) => NotifyTenant;
  /** Scheme and authority at which callers reach the server. */
  readonly publicUrl: () => string;
}

/** The five operations of one channel (identity 6.2). */
interface ChannelRow<Body> {
  readonly channel: Channel;
  readonly title: string;
  readonly add: Schema<Body>;
  readonly update: Schema<Body>;
  readonly one: Schema<unknown>;
  readonly many: Schema<unknown>;
  senderOf(body: Body, name: string | undefined): Sender;
}

/** The ten operations of the notification senders. */
export function senderOperations(parts: SenderApiParts): readonly Operation[] {
  const { emailAdd, emailUpdate, email, emails, smsAdd, smsUpdate, sms, smses } = schemas;
  return [
    ...operationsOf(parts, {
      channel: 'email',
      title: 'Email',
      add: emailAdd,
      update: emailUpdate,
      one: email,
      many: emails,
      senderOf: emailSenderOf,
    }),
    ...operationsOf(parts, {
      channel: 'sms',
      title: 'SMS',
      add: smsAdd,
      update: smsUpdate,
      one: sms,
      many: smses,
      senderOf: smsSenderOf,
    }),
  ];
}

function operationsOf<Body>(
  { senders, tenantOf, publicUrl }: SenderApiParts,
  row: ChannelRow<Body>,
): readonly Operation[] {
  const { channel, title } = row;
  const path = `/notification-senders/${channel}`;
  const one = `${path}/{name}`;
  const tenant = 'notSuper';
  const nameOf = (parameters: Readonly<Record<string, string>>): string => parameters['name'] ?? '';
  return [
    defineOperation({
      id: `get${title}Senders`,
      method: 'GET',
      path,
      summary: `Lists the ${channel} senders of the tenant`,
      scope: 'internal_config_mgt_view',
      tenant,
      responses: { 200: { description: 'Every sender', schema: row.many }, ...failures([]) },
      handle: async ({ request }) => (await senders.list(tenantOf(request), channel)).map(bodyOf),
    }),
    defineOperation({
      id: `create${title}Sender`,
      method: 'POST',
      path,
      summary: `Adds a sender for ${channel}`,
      scope: 'internal_config_mgt_add',
      tenant,
      body: row.add,
      responses: {
        201: { description: 'The sender; Location names it', schema: row.one },
        ...failures([400, 404, 409]),
      },
      async handle({ body, request }) {
        const owner = tenantOf(request);
        const sender = await senders.create(owner, row.senderOf(body, undefined));
        const location = `${publicUrl()}/t/${owner.domain}/api/server/v1${path}/${encodeURIComponent(sender.name)}`;
        return jsonResponse(bodyOf(sender), 201, { Location: location });
      },
    }),
    defineOperation({
      id: `get${title}Sender`,
      method: 'GET',
      path: one,
      summary: `Shows one ${channel} sender`,
      scope: 'internal_config_mgt_view',
      tenant,
      responses: { 200: { description: 'The sender', schema: row.one }, ...failures([404]) },
      handle: async (input) => bodyOf(await senders.get(tenantOf(input.request), channel, nameOf(input.path))),
    }),
    defineOperation({
      id: `update${title}Sender`,
      method: 'PUT',
      path: one,
      summary: `Replaces one ${channel} sender`,
      scope: 'internal_config_mgt_update',
      tenant,
      body: row.update,
      responses: { 200: { description: 'The sender', schema: row.one }, ...failures([400, 404]) },
      handle: async (input) =>
        bodyOf(await senders.replace(tenantOf(input.request), row.senderOf(input.body, nameOf(input.path)))),
    }),
    defineOperation({
      id: `delete${title}Sender`,
      method: 'DELETE',
      path: one,
      summary: `Deletes one ${channel} sender`,
      scope: 'internal_config_mgt_delete',
      tenant,
      responses: { 204: { description: 'It is gone' }, ...failures([404]) },
      handle: (input) => senders.remove(tenantOf(input.request), channel, nameOf(input.path)),
    }),
  ];
}

const descriptions: Readonly<Record<number, string>> = {
  400: 'The request breaks a rule (UE-10000, NSM-60003, NSM-60004, NSM-60005)',
  401: 'Nobody is signed in',
  403: 'The caller belongs to another tenant or may not do this',
  404: 'There is no such sender or publisher (CONFIGM_00017, NSM-60001, NSM-65001)',
  405: 'The super tenant has files instead of senders',
  409: 'There is a sender of this name (NSM-60002)',
  500: 'The server failed (NSM-65003 to NSM-65007, SE-50000)',
};

/** Answers of failures; those without a body are named only. */
function failures(statuses: readonly number[]): Record<number, { description: string; schema?: Schema<unknown> }> {
  return Object.fromEntries(
    [...statuses, 401, 403, 405, 500].map((status) => [
      status,
      {
        description: descriptions[status] ?? '',
        ...(status === 401 || status === 403 || status === 405 ? {} : { schema: schemas.error }),
      },
    ]),
  );
}
