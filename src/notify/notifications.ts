import { getLogger, type Clock, type Leases, type Metrics } from '#core';
import type { Database } from '#db';
import { messageOf, MillraceError } from '#errors';
import type { EventBus } from '#events';
import { adapterOf } from './adapters/index.ts';
import type { AdapterTools, Outcome } from './adapters/adapter.ts';
import { documentsOf } from './dispatch.ts';
import { createFindPublisher, type FindPublisher } from './find-publisher.ts';
import { openLiveFiles, type LiveFiles, type NotifyFolders } from './live-files.ts';
import { checkEvent } from './publishers/streams.ts';
import { Queue } from './queue/queue.ts';
import { defaultQueueSettings, type QueueSettings } from './queue/queue-settings.ts';
import { createQueueStore, type Job, type QueueStore } from './queue/queue-store.ts';
import type { Sealing } from './sealing.ts';
import { logAffected } from './senders/affected-senders.ts';
import { createSenderService, type SenderService } from './senders/sender-service.ts';
import { createSenderStore, type SenderStore } from './senders/sender-store.ts';
import { eventOf, tenantDomainOf, type StreamEvent } from './stream-event.ts';
import { superTenant, type NotifyTenant } from './tenant.ts';

const log = getLogger('notify');

export interface NotificationParts {
  readonly folders: NotifyFolders;
  readonly database: Database;
  readonly sealing: Sealing;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly leases: Leases;
  /** Unique per process. */
  readonly holder: string;
  readonly tools: AdapterTools;
  readonly findTenant: (domain: string) => Promise<NotifyTenant | undefined>;
  readonly settings?: Partial<QueueSettings>;
}

/** Streams, publishers, senders and the queue behind them. */
export interface Notifications extends AsyncDisposable {
  readonly files: LiveFiles;
  readonly senders: SenderService;
  readonly senderStore: SenderStore;
  readonly queue: QueueStore;
  readonly publishers: FindPublisher;
  /**
   * Takes an event of a stream; once this resolves its messages are not lost. Gives their ids.
   *
   * @throws MillraceError when they cannot be kept
   */
  accept(event: StreamEvent): Promise<readonly string[]>;
  /** Takes the events of a bus, and works off the queue. */
  start(bus: EventBus): void;
  /** Takes nothing more and waits for what is under way. */
  stop(): Promise<void>;
}

/** Puts notifications together; nothing is sent before `start`. */
export function createNotifications(parts: NotificationParts): Notifications {
  const { clock, findTenant, tools } = parts;
  const files = openLiveFiles(parts.folders);
  const senderStore = createSenderStore(parts);
  const queueStore = createQueueStore(parts);
  const publishers = createFindPublisher(files, senderStore);
  const count = parts.metrics.counter({
    name: 'millrace_notifications_total',
    help: 'Notifications by what became of them.',
    labels: ['adapter', 'outcome'],
  });
  const subscriptions = new Map<string, () => void>();

  const deliver = async (job: Job): Promise<Outcome> => {
    try {
      const tenant = { id: job.tenantId, domain: job.domain, isActive: true };
      const publisher = await publishers.byName(tenant, job.publisher);
      const adapter = publisher && adapterOf(publisher);
      if (!adapter) return { kind: 'refused', detail: `there is no publisher "${job.publisher}" any more` };
      return await adapter.deliver({ ...job, publisher }, tools);
    } catch (error) {
      return { kind: 'failed', detail: messageOf(error) };
    }
  };
  const queue = new Queue({
    ...parts,
    store: queueStore,
    settings: { ...defaultQueueSettings, ...parts.settings },
    deliver,
    observe: (job, result) => count.with(adapterName(job), result).inc(),
  });
  const adapterName = (job: Job): string => (job.values['email.address'] === undefined ? 'http' : 'email');

  const accept = async (event: StreamEvent): Promise<readonly string[]> => {
    const domain = tenantDomainOf(event);
    const tenant = (domain === undefined ? undefined : await findTenant(domain)) ?? superTenant;
    const stream = files.publishers.streams.get(event.stream);
    const documents = (await publishers.ofStream(tenant, event.stream)).flatMap((publisher) => {
      try {
        if (stream) checkEvent(stream, event);
        return documentsOf(publisher, event, tenant.domain);
      } catch (error) {
        if (!(error instanceof MillraceError)) throw error;
        count.with(publisher.adapter, 'rejected').inc();
        const facts = { publisher: publisher.name, stream: event.stream, tenant: tenant.domain, code: error.code };
        log.warn({ ...facts, error: error.message }, 'an event makes no notification');
        return [];
      }
    });
    if (documents.length === 0) return [];
    const ids = await queueStore.add(tenant, documents);
    queue.poke();
    return ids;
  };

  const subscribe = (bus: EventBus): void => {
    const wanted = new Set([...files.publishers.publishers.values()].map(({ stream }) => stream));
    for (const [stream, end] of subscriptions) {
      if (wanted.has(stream)) continue;
      end();
      subscriptions.delete(stream);
    }
    for (const stream of wanted) {
      if (subscriptions.has(stream)) continue;
      const take = bus.subscribe(stream, async (event) => void (await accept(eventOf(event))));
      subscriptions.set(stream, take);
    }
  };

  const stop = async (): Promise<void> => {
    for (const end of subscriptions.values()) end();
    subscriptions.clear();
    files[Symbol.dispose]();
    await queue.stop();
  };
  return {
    files,
    senders: createSenderService({
      store: senderStore,
      publishers: () => files.publishers.publishers,
      templates: () => files.templates.templates,
    }),
    senderStore,
    queue: queueStore,
    publishers,
    accept,
    start(bus) {
      subscribe(bus);
      files.watch(() => {
        subscribe(bus);
        void logAffected(senderStore, files.templates.templates);
      });
      queue.start();
      void logAffected(senderStore, files.templates.templates);
      log.debug({ at: clock.now(), streams: subscriptions.size }, 'notifications are on');
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
