import type { Clock } from '#core';
import { connectAmqp, type AmqpConnection } from '../../rabbitmq/connection.ts';
import { declareRoute, type AmqpRoute } from '../../rabbitmq/queue.ts';
import { firstThatWorks } from '../broker-url.ts';
import type { JmsDestination, JmsOutgoing } from '../message.ts';
import { createOneByOne, type SlotHost } from '../one-by-one.ts';
import { replyQueueOn } from '../reply-queue.ts';
import {
  jmsError,
  type JmsConnection,
  type JmsConsumer,
  type JmsProvider,
  type JmsReplyQueue,
  type JmsSubscription,
} from '../provider.ts';
import { parseAndesUrl } from './andes-url.ts';
import { decodeMessage, encodeMessage } from './message.ts';

/** The exchanges that brokers of this family have for queues and topics. */
const exchanges = { queue: 'amq.direct', topic: 'amq.topic' } as const;

/** WSO2 Andes and other brokers of AMQP 0-9-1, as their JMS client reaches them. */
export const andesProvider: JmsProvider = {
  protocol: 'AMQP 0-9-1',
  checkUrl: (url) => void parseAndesUrl(url),
  async connect({ url, username, password, clientId = '', clock }) {
    return firstThatWorks(parseAndesUrl(url), async (address) => {
      const account = { username: username ?? address.username, password: password ?? address.password };
      return new AndesConnection(await connectAmqp({ ...address, ...account }), { clientId, clock });
    });
  },
};

class AndesConnection implements JmsConnection, SlotHost {
  readonly clock: Clock;
  readonly #connection: AmqpConnection;
  readonly #clientId: string;
  readonly #declared = new Map<string, Promise<AmqpRoute>>();

  constructor(connection: AmqpConnection, { clientId, clock }: { readonly clientId: string; readonly clock: Clock }) {
    this.#connection = connection;
    this.#clientId = clientId;
    this.clock = clock;
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  onEnd(action: () => void): () => void {
    return this.#connection.onEnd(action);
  }

  async send(destination: JmsDestination, message: JmsOutgoing): Promise<void> {
    const { kind, name } = destination;
    if (kind === 'queue') await this.#route(destination);
    const encoded = encodeMessage(message, this.clock.now());
    await this.#connection.publish({ exchange: exchanges[kind], routingKey: name, ...encoded });
  }

  async consume(destination: JmsDestination, subscription: JmsSubscription = {}): Promise<JmsConsumer> {
    if (subscription.selector !== undefined) {
      throw jmsError('MR_JMS_PROTOCOL', 'this broker selects no messages; expected no message selector');
    }
    const queue = await this.#queueFor(destination, subscription);
    return createOneByOne(this, async ({ arrive, lost }) => {
      const channel = await this.#connection.channel();
      const { place } = this.#connection;
      let isClosed = false;
      channel.on('close', () => {
        isClosed = true;
        lost(jmsError('MR_JMS_LOST', `${place} closed the channel of ${queue}`));
      });
      await channel.prefetch(1);
      await channel.consume(queue, (message) => {
        if (!message) return lost(jmsError('MR_JMS_LOST', `${place} has deleted ${queue}`));
        return arrive({
          read: () => decodeMessage(message),
          acknowledge: async () => {
            if (!this.isOpen) throw jmsError('MR_JMS_LOST', `no connection to ${place}`);
            channel.ack(message);
          },
          release: async () => channel.nack(message, false, true),
        });
      });
      return async () => {
        if (!isClosed) await channel.close();
      };
    });
  }

  async openReplyQueue(): Promise<JmsReplyQueue> {
    const channel = await this.#connection.channel();
    const { queue: name } = await channel.assertQueue('', { durable: false, autoDelete: true });
    return replyQueueOn(this, name, async () => {
      await channel.deleteQueue(name);
      await channel.close();
    });
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** The queue to take messages from: that of a subscription for a topic. */
  async #queueFor(destination: JmsDestination, { durableName, noLocal }: JmsSubscription): Promise<string> {
    const { kind, name } = destination;
    if (kind === 'queue') return (await this.#route(destination)).queue;
    if (noLocal === true) throw jmsError('MR_JMS_PROTOCOL', 'this broker leaves out no message of its own connection');
    return this.#connection.onChannel(async (channel) => {
      const { queue } =
        durableName === undefined
          ? await channel.assertQueue('', { exclusive: true, autoDelete: true })
          : await channel.assertQueue(`${this.#clientId}:${durableName}`, { durable: true });
      await channel.bindQueue(queue, exchanges.topic, name);
      return queue;
    });
  }

  /** The queue, made when it is not there and bound as the JMS client binds it. */
  #route({ name }: JmsDestination): Promise<AmqpRoute> {
    const known = this.#declared.get(name);
    if (known) return known;
    const route: AmqpRoute = { queue: name, exchange: exchanges.queue, routingKey: name };
    const declaring = declareRoute(this.#connection, route).then(() => route);
    this.#declared.set(name, declaring);
    declaring.catch(() => this.#declared.delete(name));
    return declaring;
  }
}
