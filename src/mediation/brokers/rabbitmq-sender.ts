import { randomUUID } from 'node:crypto';
import { MillraceError } from '#errors';
import type { HeaderList } from '#message';
import { along, declareRoute, type AmqpConnection, type AmqpRoute, type ConsumeMessage } from '#transport';
import { createPauses } from '../background/pause.ts';
import { typeOfText } from './text-type.ts';
import type { BrokerReply, BrokerSending } from './broker-sender.ts';
import type { BrokerTools } from './jms-sender.ts';
import { rabbitmqMembers, rabbitmqTls } from './rabbitmq-address.ts';
import { connectRabbitmq } from './rabbitmq-connect.ts';
import { rabbitmqOutgoing } from './rabbitmq-outgoing.ts';

/** The queue of the broker itself that brings answers to whoever asked on the same channel. */
const directReply = 'amq.rabbitmq.reply-to';

/**
 * Sends to `rabbitmq:/NAME?…`, and waits for the answer if somebody asks for one; undefined when none comes.
 *
 * @throws MillraceError `MR_AMQP_…`
 */
export async function sendRabbitmq(sending: BrokerSending, tools: BrokerTools): Promise<BrokerReply | undefined> {
  const { parameters } = tools.address;
  const valueOf = (name: string): string | undefined => parameters.get(`rabbitmq.${name}`);
  const isSecured = valueOf('connection.ssl.enabled')?.toLowerCase() === 'true';
  const facts = {
    username: valueOf('server.user.name') ?? 'guest',
    password: valueOf('server.password') ?? 'guest',
    virtualHost: valueOf('server.virtual.host') ?? '/',
  };
  const members = rabbitmqMembers(valueOf('server.host.name'), valueOf('server.port'));
  const ssl = [...parameters].filter(([name]) => name.startsWith('rabbitmq.connection.ssl.'));
  const open = (): Promise<AmqpConnection> => {
    const tls = isSecured
      ? rabbitmqTls(
          (name) => parameters.get(name),
          (path) => tools.pathOf(path),
        )
      : undefined;
    const addresses = members.map((each) => ({ ...each, ...facts, tls }));
    // Whoever sends is not kept waiting: the endpoint knows when to try again.
    const retries = { retryInterval: 0, retryCount: 0 };
    return connectRabbitmq({ addresses, ...retries }, createPauses(tools.clock));
  };
  const route = routeOf(valueOf);
  const outgoing = rabbitmqOutgoing(sending.message, {
    body: sending.body,
    headers: sending.request.headers,
    deliveryMode: valueOf('queue.delivery.mode'),
  });
  return tools.connections.use(['rabbitmq', members, facts, ssl], open, async (connection) => {
    await declare(connection, route);
    if (sending.asks) return ask(connection, { route, outgoing, sending, tools });
    const replyTo = valueOf('replyto.name');
    const options = { ...outgoing.options, ...(replyTo !== undefined && { replyTo }) };
    await connection.publish(along(route, { ...outgoing, options }));
    return undefined;
  });
}

/** What was made sure of on a connection, so that not every message asks for it. */
const declared = new WeakMap<AmqpConnection, Set<string>>();

async function declare(connection: AmqpConnection, route: AmqpRoute): Promise<void> {
  const known = declared.get(connection) ?? new Set<string>();
  declared.set(connection, known);
  const key = JSON.stringify(route);
  if (known.has(key)) return;
  await declareRoute(connection, route);
  known.add(key);
}

function routeOf(valueOf: (name: string) => string | undefined): AmqpRoute {
  const queue = valueOf('queue.name') ?? '';
  const exchange = valueOf('exchange.name') ?? '';
  const routingKey = valueOf('queue.routing.key') ?? queue;
  if (queue === '' && exchange === '') {
    const message = 'the address needs "rabbitmq.queue.name" or "rabbitmq.exchange.name"';
    throw new MillraceError({ code: 'MR_BROKER_ADDRESS', message });
  }
  const flagOf = (name: string, fallback: boolean): boolean => {
    const text = valueOf(name);
    return text === undefined ? fallback : text.toLowerCase() === 'true';
  };
  return {
    queue,
    exchange,
    routingKey,
    declaresQueue: queue !== '' && flagOf('queue.autodeclare', true),
    queueOptions: {
      durable: flagOf('queue.durable', true),
      exclusive: flagOf('queue.exclusive', false),
      autoDelete: flagOf('queue.auto.delete', false),
    },
    declaresExchange: flagOf('exchange.autodeclare', true),
    exchangeType: valueOf('exchange.type') ?? 'direct',
    exchangeOptions: { durable: flagOf('exchange.durable', true), autoDelete: flagOf('exchange.auto.delete', false) },
  };
}

interface Asking {
  readonly route: AmqpRoute;
  readonly outgoing: ReturnType<typeof rabbitmqOutgoing>;
  readonly sending: BrokerSending;
  readonly tools: BrokerTools;
}

/** Sends on a channel of its own and takes the answer from it. */
async function ask(
  connection: AmqpConnection,
  { route, outgoing, sending, tools }: Asking,
): Promise<BrokerReply | undefined> {
  const correlationId = outgoing.options.correlationId ?? randomUUID();
  const channel = await connection.channel();
  try {
    let offEnd = (): void => undefined;
    let stop = (): void => undefined;
    const answer = new Promise<ConsumeMessage | undefined>((resolve, reject) => {
      stop = tools.clock.after(tools.patience, () => resolve(undefined));
      sending.signal.addEventListener('abort', () => resolve(undefined));
      offEnd = connection.onEnd(() => reject(connection.failure(new Error('the connection ended'))));
      const take = (found: ConsumeMessage | null): void => {
        if (found?.properties.correlationId === correlationId) resolve(found);
      };
      const { exchange, routingKey, content, options } = along(route, {
        ...outgoing,
        options: { ...outgoing.options, correlationId, replyTo: directReply },
      });
      channel
        .consume(directReply, take, { noAck: true })
        .then(() => channel.publish(exchange, routingKey, content, options))
        .catch(reject);
    });
    const found = await answer.finally(() => {
      stop();
      offEnd();
    });
    return found && replyOf(found);
  } catch (error) {
    throw connection.failure(error);
  } finally {
    if (connection.isOpen) await channel.close().catch(() => undefined);
  }
}

function replyOf({ content, properties }: ConsumeMessage): BrokerReply {
  const contentType = (properties.contentType as string | undefined) ?? typeOfText(content.toString('utf8'));
  const headers: HeaderList = ['Content-Type', contentType];
  for (const [name, value] of Object.entries<unknown>(properties.headers ?? {})) {
    if (value !== null && value !== undefined)
      headers.push(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return { headers, bytes: content };
}
