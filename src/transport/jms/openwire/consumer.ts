import { messageOf } from '#errors';
import { createOneByOne, type Arrival } from '../one-by-one.ts';
import { jmsError, type JmsConsumer, type JmsSubscription } from '../provider.ts';
import type { JmsDestination } from '../message.ts';
import { decodeMessage, encodeDestination } from './bodies.ts';
import { numberField, objectField, type Command, type FieldValue } from './codec.ts';
import type { Session } from './connection.ts';

/** The kind of acknowledgement that takes one message off, whatever else is outstanding. */
const individualAck = 4;
/** The kind that sends a message to the dead letters. */
const poisonAck = 1;

/** Takes messages of a destination; each slot is a consumer of its own with a prefetch of one. */
export function createConsumer(
  session: Session,
  destination: JmsDestination,
  { selector, durableName, noLocal, isShared }: JmsSubscription,
): Promise<JmsConsumer> {
  if (isShared === true) throw jmsError('MR_JMS_PROTOCOL', 'ActiveMQ shares no subscriptions of topics');
  return createOneByOne(session, async ({ arrive }) => {
    let end = (_lastDelivered?: FieldValue): Promise<void> => Promise.resolve();
    /** What is given back comes again to the next consumer, which may be this one: it begins anew. */
    const renew = async (lastDelivered: FieldValue | undefined): Promise<void> => {
      await end(lastDelivered);
      await begin();
    };
    const begin = async (): Promise<void> => {
      const number = session.nextNumber();
      const id = consumerId(session, number);
      const place: Place = { id, destination, isKept: destination.kind === 'queue' || durableName !== undefined };
      const unlisten = session.listen(number, (dispatch) =>
        arrive(arrivalOf(session, dispatch, { ...place, renew, arrive })),
      );
      const fields = { prefetchSize: 1, selector, subscriptionName: durableName, noLocal };
      await session.call(consumerInfo(id, destination, fields));
      end = async (lastDeliveredSequenceId) => {
        unlisten();
        await session.call({ name: 'RemoveInfo', fields: { objectId: id, lastDeliveredSequenceId } });
      };
    };
    await begin();
    return () => end();
  });
}

export function consumerId({ connectionId }: Session, number: number): Command {
  return { name: 'ConsumerId', fields: { connectionId, sessionId: 1n, value: BigInt(number) } };
}

export function consumerInfo(id: Command, destination: JmsDestination, fields: Command['fields']): Command {
  return {
    name: 'ConsumerInfo',
    fields: { consumerId: id, destination: encodeDestination(destination), dispatchAsync: true, ...fields },
  };
}

interface Place {
  readonly id: Command;
  readonly destination: JmsDestination;
  /** Whether the broker keeps what was not acknowledged. */
  readonly isKept: boolean;
}

interface Slot extends Place {
  /** The broker counts what it delivered up to this number as delivered in vain. */
  renew(lastDelivered: FieldValue | undefined): Promise<void>;
  arrive(arrival: Arrival): void;
}

function arrivalOf(session: Session, dispatch: Command, slot: Slot): Arrival {
  const { id, destination } = slot;
  const message = objectField(dispatch, 'message');
  const messageId = message && objectField(message, 'messageId');
  const redeliveries = numberField(dispatch, 'redeliveryCounter');
  const acknowledgeAs = (ackType: number): Promise<void> =>
    session.call({
      name: 'MessageAck',
      fields: {
        destination: encodeDestination(destination),
        consumerId: id,
        ackType,
        firstMessageId: messageId,
        lastMessageId: messageId,
        messageCount: 1,
      },
    });
  return {
    read() {
      if (!message) throw jmsError('MR_JMS_PROTOCOL', `the broker dispatched no message of ${destination.name}`);
      try {
        return decodeMessage(message, redeliveries);
      } catch (error) {
        throw jmsError(
          'MR_JMS_PROTOCOL',
          `a message of ${destination.name} cannot be read: ${messageOf(error)}`,
          error,
        );
      }
    },
    acknowledge: () => acknowledgeAs(individualAck),
    async release() {
      const { most, delay } = session.redelivery;
      if (most >= 0 && redeliveries >= most) return acknowledgeAs(poisonAck);
      await new Promise<void>((resolve) => void session.clock.after(delay, resolve));
      if (slot.isKept) return slot.renew(messageId?.fields['brokerSequenceId']);
      const again = { name: dispatch.name, fields: { ...dispatch.fields, redeliveryCounter: redeliveries + 1 } };
      return slot.arrive(arrivalOf(session, again, slot));
    },
  };
}
