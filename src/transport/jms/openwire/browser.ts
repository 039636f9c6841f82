import type { JmsDestination, JmsMessage } from '../message.ts';
import { jmsError, type JmsBrowseReach } from '../provider.ts';
import { decodeMessage } from './bodies.ts';
import { objectField } from './codec.ts';
import type { Session } from './connection.ts';
import { consumerId, consumerInfo } from './consumer.ts';

/** Most messages that are asked for at once. */
const window = 100;

/** Looks at the first messages of a queue. The broker says that there are no more with a dispatch without a message. */
export async function browseQueue(
  session: Session,
  queue: JmsDestination,
  { limit, skip }: JmsBrowseReach,
): Promise<readonly JmsMessage[]> {
  const number = session.nextNumber();
  const id = consumerId(session, number);
  const found: JmsMessage[] = [];
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const unlisten = session.listen(number, (dispatch) => {
    const message = objectField(dispatch, 'message');
    const decoded = message && decodeMessage(message, 0);
    if (decoded && !skip.has(decoded.id)) found.push(decoded);
    if (!decoded || found.length >= limit) finish();
  });
  const offEnd = session.onEnd(finish);
  try {
    const prefetchSize = Math.max(limit + skip.size, window);
    await session.call(consumerInfo(id, queue, { browser: true, prefetchSize }));
    await finished;
    if (!session.isOpen) throw jmsError('MR_JMS_LOST', `the connection ended while ${queue.name} was looked at`);
    await session.call({ name: 'RemoveInfo', fields: { objectId: id } });
    return found.slice(0, limit);
  } finally {
    offEnd();
    unlisten();
  }
}
