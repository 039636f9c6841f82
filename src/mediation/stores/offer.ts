import { getLogger } from '#core';
import { messageOf, synapseCodes } from '#errors';
import type { Message } from '#message';
import type { Library } from '../context.ts';
import { Fault } from '../fault.ts';
import { storedFrom } from './stored-message.ts';

const log = getLogger('mediation.store');

/**
 * Puts a copy of a message into the store of a name; the store named for failures takes it when that one refuses
 * (mediators 7.1). The payload must be loaded.
 *
 * @throws Fault when there is no such store, or none of them took the message
 */
export async function offerMessage(library: Library, name: string, message: Message): Promise<void> {
  const target = library.messageStore(name);
  if (!target)
    throw new Fault({ code: synapseCodes.mediation, message: 'Message Store does not exist.', detail: name });
  const stored = storedFrom(message);
  try {
    await target.store.offer(stored);
  } catch (error) {
    const failover = target.failover === undefined ? undefined : library.messageStore(target.failover);
    log.error({ err: error, store: name, failover: target.failover }, 'a message could not be stored');
    try {
      if (!failover) throw error;
      await failover.store.offer(stored);
    } catch (second) {
      message.axis2.set('HTTP_SC', 500);
      throw new Fault({
        code: synapseCodes.mediation,
        message: 'Failed to store message',
        detail: `${name}: ${messageOf(second)}`,
        cause: second,
      });
    }
  }
}
