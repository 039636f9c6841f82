import type { JmsDestination } from './message.ts';
import type { JmsConnection, JmsReplyQueue } from './provider.ts';

/** Takes messages from a queue for answers that was made on a connection; `remove` ends the queue with what is in it. */
export async function replyQueueOn(
  connection: JmsConnection,
  name: string,
  remove: () => Promise<void>,
): Promise<JmsReplyQueue> {
  const destination: JmsDestination = { kind: 'queue', name, isTemporary: true };
  const consumer = await connection.consume(destination);
  return {
    destination,
    consumer,
    async close() {
      await consumer.close();
      if (connection.isOpen) await remove();
    },
  };
}
