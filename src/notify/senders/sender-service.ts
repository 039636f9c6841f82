import { messageOf, type MillraceError } from '#errors';
import type { Publisher } from '../publishers/publisher.ts';
import type { NotifyTenant } from '../tenant.ts';
import { checkSender } from './check-sender.ts';
import { senderError, type SenderErrorCode } from './sender-error.ts';
import type { Templates } from './sender-publisher.ts';
import type { SenderStore } from './sender-store.ts';
import type { Channel, Sender } from './sender.ts';

/** The senders of tenants with the rules that hold for them. Every call may raise a `RestError` of `senderError`. */
export interface SenderService {
  list(tenant: NotifyTenant, channel: Channel): Promise<readonly Sender[]>;
  get(tenant: NotifyTenant, channel: Channel, name: string): Promise<Sender>;
  create(tenant: NotifyTenant, sender: Sender): Promise<Sender>;
  replace(tenant: NotifyTenant, sender: Sender): Promise<Sender>;
  remove(tenant: NotifyTenant, channel: Channel, name: string): Promise<void>;
}

export interface SenderServiceParts {
  readonly store: SenderStore;
  /** Publishers of the super tenant by name. */
  readonly publishers: () => ReadonlyMap<string, Publisher>;
  readonly templates: () => Templates;
}

/** Senders after the algorithm of identity 6.4. */
export function createSenderService({ store, publishers, templates }: SenderServiceParts): SenderService {
  const checkPublisher = (name: string): void => {
    const known = publishers();
    if (known.size === 0) throw senderError('NSM-65001', 'The folder eventpublishers holds no publisher');
    if (!known.has(name)) {
      throw senderError('NSM-60001', `Expected one of ${[...known.keys()].join(', ')}; found ${shown(name)}`);
    }
  };
  const unknown = (name: string): MillraceError =>
    senderError('CONFIGM_00017', `The tenant has no sender ${shown(name)} of this channel`);

  return {
    list: (tenant, channel) => orFail('NSM-65006', () => store.list(tenant, channel)),
    async get(tenant, channel, name) {
      const found = await orFail('NSM-65003', () => store.find(tenant, name));
      if (found?.channel !== channel) throw unknown(name);
      return found;
    },
    async create(tenant, sender) {
      checkSender(sender, templates());
      checkPublisher(sender.name);
      if (await orFail('NSM-65004', () => store.add(tenant, sender))) return sender;
      throw senderError('NSM-60002', `The tenant has a sender ${shown(sender.name)} already`);
    },
    async replace(tenant, sender) {
      checkSender(sender, templates());
      checkPublisher(sender.name);
      if (await orFail('NSM-65007', () => store.replace(tenant, sender))) return sender;
      throw unknown(sender.name);
    },
    async remove(tenant, channel, name) {
      if (!(await orFail('NSM-65005', () => store.remove(tenant, { name, channel })))) throw unknown(name);
    },
  };
}

async function orFail<Value>(code: SenderErrorCode, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw senderError(code, 'The store of senders failed', new Error(messageOf(error), { cause: error }));
  }
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
