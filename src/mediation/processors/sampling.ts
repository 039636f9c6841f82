import type { ProcessorDefinition } from './definition.ts';
import type { Delivery } from './delivery.ts';
import type { Poll } from './processor.ts';

/**
 * Sampling: takes a number of messages per poll out of the store and runs a sequence with each. What the sequence does
 * not manage is lost, as in the original (mediators 10).
 */
export function createSampling({ settings }: ProcessorDefinition, delivery: Delivery): Poll {
  const running = new Set<Promise<unknown>>();
  return {
    async run(pauses) {
      for (let taken = 0; taken < settings.concurrency; taken++) {
        const entry = await delivery.claim(pauses);
        if (!entry) return;
        try {
          await delivery.remove(entry);
        } finally {
          delivery.free(entry);
        }
        const flow = delivery.context
          .inWorld((world) => delivery.sequence(world, settings.sequence, delivery.take(world, entry)))
          .finally(() => running.delete(flow));
        running.add(flow);
      }
    },
    async idle() {
      await Promise.all(running);
    },
  };
}
