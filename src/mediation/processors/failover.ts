import type { StoreEntry } from '../stores/message-store.ts';
import type { LiveWorld } from '../background/live.ts';
import type { ProcessorDefinition } from './definition.ts';
import { noteFailure, storeNamed, type Attempt, type Delivery } from './delivery.ts';
import type { Poll } from './processor.ts';

/** Scheduled failover: moves messages to another store as soon as that one takes them (mediators 10). */
export function createFailover({ settings }: ProcessorDefinition, delivery: Delivery): Poll {
  const once = async (world: LiveWorld, entry: StoreEntry): Promise<Attempt> => {
    try {
      await storeNamed(world.library, settings.targetStore ?? '').offer(entry.message);
    } catch (error) {
      const message = delivery.take(world, entry);
      noteFailure(message, error, delivery.context.id);
      await delivery.sequence(world, settings.faultSequence, message);
      return 'failed';
    }
    await delivery.remove(entry);
    return 'done';
  };
  return {
    async run(pauses) {
      do {
        const entry = await delivery.claim(pauses);
        if (!entry) return;
        try {
          await delivery.attempt(entry, pauses, (world) => once(world, entry));
        } finally {
          delivery.free(entry);
        }
      } while (settings.drainPause !== undefined && (await pauses.wait(settings.drainPause)));
    },
    idle: () => Promise.resolve(),
  };
}
