import { messageOf } from '#errors';
import { createOneByOne, type Arrival } from '../one-by-one.ts';
import { jmsError, type JmsConsumer } from '../provider.ts';
import type { JmsDestination } from '../message.ts';
import { decodeMessage, encodeDestination } from './bodies.ts';
import { numberField, objectField, type Command } from './codec.ts';
import type { Session } from './connection.ts';

/** The kind of acknowledgement that takes one message off, whatever else is outstanding. */
const individualAck = 4;

/** Takes messages of a destination; each slot is a consumer of its own with a prefetch of one. */
export function createConsumer(
  session: Session,
  destination: JmsDestination,
  selector: string | undefined,
): Promise<JmsConsumer> {
  return createOneByOne(session, async (arrive) => {
    const number = session.nextNumber();
    const id = consumerId(session, number);
    const unlisten = session.listen(number, (dispatch) => arrive(arrivalOf(session, dispatch, { id, destination })));
    await session.call(consumerInfo(id, destination, { prefetchSize: 1, selector }));
    return async () => {
      unlisten();
      await session.call({ name: 'RemoveInfo', fields: { objectId: id } });
    };
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
}

function arrivalOf(session: Session, dispatch: Command, { id, destination }: Place): Arrival {
  const message = objectField(dispatch, 'message');
  const lastMessageId = message && objectField(message, 'messageId');
  return {
    read() {
      if (!message) throw jmsError('MR_JMS_PROTOCOL', `the broker dispatched no message of ${destination.name}`);
      try {
        return decodeMessage(message, numberField(dispatch, 'redeliveryCounter'));
      } catch (error) {
        throw jmsError(
          'MR_JMS_PROTOCOL',
          `a message of ${destination.name} cannot be read: ${messageOf(error)}`,
          error,
        );
      }
    },
    acknowledge: () =>
      session.call({
        name: 'MessageAck',
        fields: {
          destination: encodeDestination(destination),
          consumerId: id,
          ackType: individualAck,
          firstMessageId: lastMessageId,
          lastMessageId,
          messageCount: 1,
        },
      }),
  };
}
