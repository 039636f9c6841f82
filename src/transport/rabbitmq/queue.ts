import type { Options } from 'amqplib';
import { MillraceError } from '#errors';
import type { AmqpConnection, AmqpOutgoing } from './connection.ts';

/** A queue and the exchange through which messages come into it. */
export interface AmqpRoute {
  readonly queue: string;
  /** The exchange of the broker that knows every queue by its name when this is empty. */
  readonly exchange: string;
  readonly routingKey: string;
  /** What is made of a queue that is not there: durable with nothing else when absent. */
  readonly queueOptions?: Options.AssertQueue | undefined;
  readonly exchangeType?: string | undefined;
  readonly exchangeOptions?: Options.AssertExchange | undefined;
  /** False to leave alone what is not there. */
  readonly declaresQueue?: boolean | undefined;
  readonly declaresExchange?: boolean | undefined;
}

/**
 * Makes the queue, the exchange and the binding that are not there. What is there stays as it is, whatever its
 * arguments are.
 *
 * @throws MillraceError `MR_AMQP_REFUSED` when the account may not do so
 */
export async function declareRoute(connection: AmqpConnection, route: AmqpRoute): Promise<void> {
  const { queue, exchange, routingKey, exchangeType = 'direct', declaresQueue, declaresExchange } = route;
  const isMissing = async (check: Parameters<AmqpConnection['onChannel']>[0]): Promise<boolean> => {
    try {
      await connection.onChannel(check);
      return false;
    } catch (error) {
      if (notFound(error)) return true;
      throw error;
    }
  };
  if (declaresQueue !== false && (await isMissing((channel) => channel.checkQueue(queue)))) {
    const options = { durable: true, ...route.queueOptions };
    await connection.onChannel((channel) => channel.assertQueue(queue, options));
  }
  if (exchange === '') return;
  if (declaresExchange !== false && (await isMissing((channel) => channel.checkExchange(exchange)))) {
    const options = { durable: true, ...route.exchangeOptions };
    await connection.onChannel((channel) => channel.assertExchange(exchange, exchangeType, options));
  }
  if (queue === '' || (declaresQueue === false && declaresExchange === false)) return;
  await connection.onChannel((channel) => channel.bindQueue(queue, exchange, routingKey));
}

/** The outgoing message for a route. */
export function along(route: AmqpRoute, message: Pick<AmqpOutgoing, 'content' | 'options'>): AmqpOutgoing {
  const isDefault = route.exchange === '';
  return { exchange: route.exchange, routingKey: isDefault ? route.queue : route.routingKey, ...message };
}

const notFoundCode = 404;

function notFound(error: unknown): boolean {
  const cause = error instanceof MillraceError ? error.cause : undefined;
  return (cause as { code?: unknown } | undefined)?.code === notFoundCode;
}
