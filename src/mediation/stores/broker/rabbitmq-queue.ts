import type { Clock } from '#core';
import { MillraceError } from '#errors';
import { along, declareRoute, type AmqpConnection, type AmqpRoute, type GetMessage } from '#transport';
import { createPauses } from '../../background/pause.ts';
import { connectRabbitmq, type RabbitmqMembers } from '../../brokers/rabbitmq-connect.ts';
import { readDocument, writeDocument } from '../stored-document.ts';
import type { StoredMessage } from '../stored-message.ts';
import { adoptForeign, documentMark, sendingFactsOf } from './broker-document.ts';
import type { BrokerConsumer, BrokerQueue } from './broker-queue.ts';
import { createReopened, type Reopened } from '../../brokers/reopened.ts';

/** What the parameters of a store over RabbitMQ say, resolved. */
export interface RabbitmqQueueOptions extends RabbitmqMembers {
  readonly route: AmqpRoute;
  readonly clock: Clock;
}

/** Priority of messages that name none, as the original has it. */
const usualPriority = 0;

/** A queue of RabbitMQ, with one connection for sending and one for receiving as in the original. */
export function createRabbitmqQueue(options: RabbitmqQueueOptions): BrokerQueue {
  const { route, clock } = options;
  const pauses = createPauses(clock);
  const connect = async (): Promise<AmqpConnection> => {
    const connection = await connectRabbitmq(options, pauses);
    try {
      await declareRoute(connection, route);
    } catch (error) {
      await connection.close();
      throw error;
    }
    return connection;
  };
  const sending = createReopened(connect);
  const receiving = createReopened(connect);

  return {
    async send(message) {
      const connection = await sending.get();
      await connection.publish(along(route, outgoing(message)));
    },
    consume: () => consumerOn(receiving, route.queue),
    browse() {
      const message = `RabbitMQ shows messages only to those who take them; look into the queue ${route.queue} with its own tools`;
      return Promise.reject(new MillraceError({ code: 'MR_STORE_HIDDEN', message }));
    },
    take: () => Promise.resolve(false),
    async purge() {
      const connection = await receiving.get();
      await connection.onChannel((channel) => channel.purgeQueue(route.queue));
    },
    async size() {
      const connection = await receiving.get();
      const { messageCount } = await connection.onChannel((channel) => channel.checkQueue(route.queue));
      return messageCount;
    },
    async probe() {
      await sending.get();
    },
    async close() {
      pauses.stop();
      await sending.close();
      await receiving.close();
    },
  };
}

async function consumerOn(connections: Reopened<AmqpConnection>, queue: string): Promise<BrokerConsumer> {
  const connection = await connections.get();
  const channel = await connection.channel();
  let isClosed = false;
  channel.on('close', () => {
    isClosed = true;
  });
  return {
    async receive() {
      const found = await channel.get(queue).catch((error: unknown) => {
        throw connection.failure(error);
      });
      if (found === false) return undefined;
      return {
        message: await storedOf(found, queue),
        get isLost() {
          return isClosed || !connection.isOpen;
        },
        async acknowledge() {
          channel.ack(found);
          // An answer on the same channel shows that the broker has come past the acknowledgement.
          await channel.checkQueue(queue);
        },
      };
    },
    async close() {
      if (!isClosed) await channel.close();
    },
  };
}

function outgoing(message: StoredMessage): Parameters<typeof along>[1] {
  const { priority, timeToLive, isPersistent, properties } = sendingFactsOf(message, usualPriority);
  return {
    content: Buffer.from(writeDocument(message)),
    options: {
      contentType: 'application/json',
      contentEncoding: 'utf-8',
      messageId: message.id,
      persistent: isPersistent,
      priority,
      ...(timeToLive > 0 && { expiration: timeToLive }),
      headers: { ...Object.fromEntries(properties), [documentMark]: 1 },
    },
  };
}

const serializedJava = Buffer.from([0xac, 0xed, 0x00, 0x05]);

/** A message of ours as it was stored; the body of one of somebody else. */
async function storedOf({ content, properties }: GetMessage, queue: string): Promise<StoredMessage> {
  const given = (properties.headers ?? {}) as Readonly<Record<string, unknown>>;
  if (given[documentMark] !== undefined) return readDocument(content.toString('utf8'));
  const id = (properties.messageId as string | undefined) ?? '';
  if (content.subarray(0, serializedJava.length).equals(serializedJava)) {
    throw new MillraceError({
      code: 'MR_STORE_CONTENT',
      message: `The message ${id} of ${queue} is a serialized Java object, which cannot be read; expected a message of this program, text or bytes`,
    });
  }
  const headers = new Map(
    Object.entries(given).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? [[name, String(value)]]
        : [],
    ),
  );
  const contentType = properties.contentType as string | undefined;
  return contentType === undefined
    ? adoptForeign({ id, text: content.toString('utf8'), headers })
    : adoptForeign({ id, bytes: content, contentType, headers });
}
