import { MillraceError } from '#errors';
import type { AmqpConnection, AmqpOutgoing } from './connection.ts';

/** A queue and the exchange through which messages come into it. */
export interface AmqpRoute {
  readonly queue: string;
  /** The exchange of the broker that knows every queue by its name when this is empty. */
  readonly exchange: string;
  readonly routingKey: string;
}

/**
 * Makes the queue, the exchange and the binding that are not there. What is there stays as it is, whatever its
 * arguments are.
 *
 * @throws MillraceError `MR_AMQP_REFUSED` when the account may not do so
 */
export async function declareRoute(
  connection: AmqpConnection,
  { queue, exchange, routingKey }: AmqpRoute,
): Promise<void> {
  const isMissing = async (check: Parameters<AmqpConnection['onChannel']>[0]): Promise<boolean> => {
    try {
      await connection.onChannel(check);
      return false;
    } catch (error) {
      if (notFound(error)) return true;
      throw error;
    }
  };
  if (await isMissing((channel) => channel.checkQueue(queue))) {
    await connection.onChannel((channel) => channel.assertQueue(queue, { durable: true }));
  }
  if (exchange === '') return;
  if (await isMissing((channel) => channel.checkExchange(exchange))) {
    await connection.onChannel((channel) => channel.assertExchange(exchange, 'direct', { durable: true }));
  }
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
