import type { Publisher } from './publishers/publisher.ts';
import type { LiveFiles } from './live-files.ts';
import type { Sender } from './senders/sender.ts';
import { publisherOf, type Templates } from './senders/sender-publisher.ts';
import type { SenderStore } from './senders/sender-store.ts';
import { isSuper, type NotifyTenant } from './tenant.ts';

/** The publishers that count for a tenant. */
export interface FindPublisher {
  /** By name; the tenant's own sender, else the publisher of the super tenant. */
  byName(tenant: NotifyTenant, name: string): Promise<Publisher | undefined>;
  /** All that take a stream. */
  ofStream(tenant: NotifyTenant, stream: string): Promise<readonly Publisher[]>;
}

interface Made {
  readonly base: Publisher;
  readonly templates: Templates;
  readonly publisher: Publisher | undefined;
}

export function createFindPublisher(files: LiveFiles, senders: SenderStore): FindPublisher {
  // The store gives one object for as long as a sender stays as it is.
  const made = new WeakMap<Sender, Made>();
  const ofSender = (sender: Sender, base: Publisher): Publisher | undefined => {
    const { templates } = files.templates;
    const known = made.get(sender);
    if (known?.base === base && known.templates === templates) return known.publisher;
    const publisher = publisherOf(sender, base, templates);
    made.set(sender, { base, templates, publisher });
    return publisher;
  };
  const forTenant = async (tenant: NotifyTenant, base: Publisher): Promise<Publisher | undefined> => {
    const sender = isSuper(tenant) ? undefined : await senders.find(tenant, base.name);
    return sender ? ofSender(sender, base) : base;
  };
  return {
    async byName(tenant, name) {
      const base = files.publishers.publishers.get(name);
      return base && forTenant(tenant, base);
    },
    async ofStream(tenant, stream) {
      const bases = [...files.publishers.publishers.values()].filter((publisher) => publisher.stream === stream);
      const found = await Promise.all(bases.map((base) => forTenant(tenant, base)));
      return found.filter((publisher) => publisher !== undefined);
    },
  };
}
