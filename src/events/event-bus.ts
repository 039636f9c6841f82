import { getLogger } from '#core';
import { messageOf } from '#errors';

const log = getLogger('events');

/** Something that happened, on its way to whoever wants to know. */
export interface BusEvent {
  /** Name of the topic or stream; a stream has its version behind a colon. */
  readonly topic: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** What the event says: texts, numbers, Booleans by name. */
  readonly attributes: ReadonlyMap<string, string | number | boolean | null>;
  /** A document that came with it. */
  readonly content?: { readonly contentType: string; readonly text: string } | undefined;
}

export type EventReceiver = (event: BusEvent) => void | Promise<void>;

/** Topics within the process. */
export interface EventBus {
  /** Hands an event to everybody who takes its topic, and says how many they are; what fails there is only logged. */
  publish(event: BusEvent): number;
  /**
   * Hands an event to everybody who takes its topic and waits until they have it; says how many they are.
   *
   * @throws the first failure of those who take it
   */
  handOver(event: BusEvent): Promise<number>;
  /** Takes every event of a topic from now on; the result ends it. */
  subscribe(topic: string, receive: EventReceiver): () => void;
}

/** Makes a bus on which nobody listens yet. */
export function createEventBus(): EventBus {
  const receivers = new Map<string, Set<EventReceiver>>();
  return {
    publish(event) {
      const taking = [...(receivers.get(event.topic) ?? [])];
      for (const receive of taking) deliver(receive, event);
      return taking.length;
    },
    async handOver(event) {
      const taking = [...(receivers.get(event.topic) ?? [])];
      await Promise.all(taking.map(async (receive) => receive(event)));
      return taking.length;
    },
    subscribe(topic, receive) {
      const known = receivers.get(topic) ?? new Set();
      receivers.set(topic, known.add(receive));
      return () => {
        known.delete(receive);
        if (known.size === 0 && receivers.get(topic) === known) receivers.delete(topic);
      };
    },
  };
}

function deliver(receive: EventReceiver, event: BusEvent): void {
  const failed = (error: unknown): void =>
    log.error({ topic: event.topic, error: messageOf(error) }, 'an event could not be received');
  try {
    const pending = receive(event);
    if (pending) pending.catch(failed);
  } catch (error) {
    failed(error);
  }
}
