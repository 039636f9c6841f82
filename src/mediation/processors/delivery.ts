import { getLogger } from '#core';
import { messageOf, synapseCodes } from '#errors';
import type { Message } from '#message';
import { BackgroundExchange } from '../background/exchange.ts';
import type { LiveContext, LiveWorld } from '../background/live.ts';
import type { Pauses } from '../background/pause.ts';
import { runInBackground, type BackgroundOutcome } from '../background/run.ts';
import { describeFault, Fault, faultAt } from '../fault.ts';
import type { MessageStore, StoreEntry } from '../stores/message-store.ts';
import { revive } from '../stores/stored-message.ts';
import type { ProcessorDefinition } from './definition.ts';

const log = getLogger('mediation.processor');

/** What one attempt with a message gave. */
export type Attempt =
  /** It is dealt with: out of the store. */
  | 'done'
  /** It stays for the next poll. */
  | 'again'
  /** It failed and is tried again until the attempts are used up. */
  | 'failed'
  /** The processor cannot go on. */
  | 'deactivate';

/** What the kinds of processors share: the store, claims on its messages, attempts, and what comes after them. */
export interface Delivery {
  readonly context: LiveContext;
  /** The next message that no other member works on, claimed; undefined when there is none or it is time to stop. */
  claim(pauses: Pauses): Promise<StoreEntry | undefined>;
  /** Ends a claim. */
  free(entry: StoreEntry): void;
  /** Lets others have what the store keeps for this one. */
  release(): Promise<void>;
  remove(entry: StoreEntry): Promise<void>;
  /** A fresh message of a stored one. */
  take(world: LiveWorld, entry: StoreEntry): Message;
  /** Runs a named sequence; undefined when there is none of the name. */
  sequence(world: LiveWorld, name: string | undefined, message: Message): Promise<BackgroundOutcome | undefined>;
  /** Repeats attempts with a claimed message as the settings say. */
  attempt(entry: StoreEntry, pauses: Pauses, once: (world: LiveWorld) => Promise<Attempt>): Promise<void>;
}

export function createDelivery(
  definition: ProcessorDefinition,
  context: LiveContext,
  deactivate: () => Promise<void>,
): Delivery {
  const { settings, name } = definition;
  // The claims outlast a deactivation: a member that is still busy keeps its message.
  const busy = new Set<number>();

  const inStore = <T>(work: (store: MessageStore) => Promise<T>): Promise<T> =>
    context.inWorld(({ library }) => work(storeNamed(library, definition.messageStore)));

  const delivery: Delivery = {
    context,
    async claim(pauses) {
      const { maxStoreAttempts } = settings;
      for (let failures = 1; !pauses.isStopped; failures++) {
        try {
          return await inStore(async (store) => {
            for (;;) {
              const entry = await store.peek(busy, { owner: busy, signal: pauses.signal });
              if (!entry) return undefined;
              // Another member may have claimed it while the store was read.
              if (busy.has(entry.number)) continue;
              busy.add(entry.number);
              return entry;
            }
          });
        } catch (error) {
          log.error(
            { err: error, processor: name, store: definition.messageStore },
            'the message store cannot be read',
          );
          if (maxStoreAttempts >= 0 && failures >= maxStoreAttempts) {
            log.error({ processor: name, attempts: failures }, 'the message store stays unreachable');
            await deactivate();
            return undefined;
          }
          await pauses.wait(settings.storeRetryInterval);
        }
      }
      return undefined;
    },
    free: (entry) => void busy.delete(entry.number),
    async release() {
      await context.inWorld(async ({ library }) =>
        library.messageStore(definition.messageStore)?.store.release?.(busy),
      );
    },
    async remove(entry) {
      await inStore((store) => store.remove(entry.number));
    },
    take({ environment }, entry) {
      const message = revive(entry.message, new BackgroundExchange(environment));
      message.properties.set('message.processor.name', name);
      return message;
    },
    async sequence(world, sequenceName, message) {
      const run = sequenceName === undefined ? undefined : world.library.sequence(sequenceName);
      if (sequenceName !== undefined && !run) {
        log.error({ processor: name, sequence: sequenceName }, 'there is no such sequence');
      }
      return run && runInBackground(world, message, { id: context.id, run });
    },
    async attempt(entry, pauses, once) {
      for (let attempts = 1; ; attempts++) {
        const result = await context.inWorld(once);
        if (result === 'done' || result === 'again') return;
        const isLast = settings.maxAttempts > 0 && attempts >= settings.maxAttempts;
        if (result === 'deactivate') return stopHere(entry);
        if (isLast) return giveUp(entry, attempts);
        if (!(await pauses.wait(settings.retryInterval))) return;
      }
    },
  };

  const stopHere = async (entry: StoreEntry): Promise<void> => {
    await context.inWorld((world) =>
      delivery.sequence(world, settings.deactivateSequence, delivery.take(world, entry)),
    );
    await deactivate();
  };

  /** The attempts are used up: drop, move, or stop with the message at the head of the store. */
  const giveUp = async (entry: StoreEntry, attempts: number): Promise<void> => {
    const fields = { processor: name, message: entry.message.id, attempts };
    const { failStore, drops } = settings;
    if (drops) {
      log.warn(fields, 'the message was dropped after its last attempt');
      return delivery.remove(entry);
    }
    if (failStore !== undefined) {
      log.warn({ ...fields, store: failStore }, 'the message moves to another store after its last attempt');
      await context.inWorld(({ library }) => storeNamed(library, failStore).offer(entry.message));
      return delivery.remove(entry);
    }
    log.error(fields, 'the message could not be delivered; the processor deactivates itself');
    return stopHere(entry);
  };

  return delivery;
}

/** The store of a name. @throws Fault when there is none */
export function storeNamed(library: LiveWorld['library'], name: string): MessageStore {
  const found = library.messageStore(name);
  if (found) return found.store;
  throw new Fault({ code: synapseCodes.mediation, message: `There is no message store "${name}"` });
}

/** Notes on a message why it failed, for the fault sequence and the log. */
export function noteFailure(message: Message, error: unknown, id: string): void {
  describeFault(message, faultAt(error, id, undefined));
  log.warn({ error: messageOf(error), message: message.id, artifact: id }, 'an attempt to deliver a message failed');
}
