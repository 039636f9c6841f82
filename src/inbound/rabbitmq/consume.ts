import { getLogger } from '#core';
import { messageOf, MillraceError } from '#errors';
import { connectRabbitmq, createPauses, type LiveContext, type Pauses } from '#mediation';
import { declareRoute, type AmqpConnection, type ConsumeMessage } from '#transport';
import type { RabbitmqInbound } from './rabbitmq.ts';
import { takeRabbitmqMessage } from './take-message.ts';

const log = getLogger('inbound');

/** Takes messages until it is disposed; a connection that breaks is opened again. What is in flight is finished. */
export function beginConsuming(inbound: RabbitmqInbound, context: LiveContext): AsyncDisposable {
  const { clock } = context.services;
  const { definition, settings } = inbound;
  const { members } = settings;
  const pauses = createPauses(clock);
  let isReported = false;
  const begun = (): void => {
    if (isReported) log.info({ inbound: definition.name }, 'messages are taken again');
    isReported = false;
  };
  const loop = async (): Promise<void> => {
    while (!pauses.isStopped) {
      let connection: AmqpConnection | undefined;
      try {
        connection = await connectRabbitmq(members, pauses);
        await declareRoute(connection, settings.route);
        await consumeUntilEnd(connection, inbound, { context, pauses, begun });
      } catch (error) {
        if (!pauses.isStopped && !isReported) {
          log.error({ err: error, inbound: definition.name }, `messages cannot be received: ${messageOf(error)}`);
        }
        isReported = true;
      } finally {
        await connection?.close();
      }
      await pauses.wait(members.retryInterval);
    }
  };
  const running = loop();
  return {
    async [Symbol.asyncDispose]() {
      pauses.stop();
      await running;
    },
  };
}

interface Consuming {
  readonly context: LiveContext;
  readonly pauses: Pauses;
  /** Called when the broker has agreed. */
  readonly begun: () => void;
}

/** Consumes on one connection until it breaks, the broker ends it, or the endpoint stops. */
async function consumeUntilEnd(
  connection: AmqpConnection,
  inbound: RabbitmqInbound,
  { context, pauses, begun }: Consuming,
): Promise<void> {
  const { settings, polling } = inbound;
  const { queue } = settings.route;
  const most = polling.sequential ? 1 : (context.services.settings.inboundConcurrency ?? 1);
  const channel = await connection.channel();
  const waiting: ConsumeMessage[] = [];
  const working = new Set<Promise<void>>();
  const next = (): void => {
    while (working.size < most && !pauses.isStopped) {
      const message = waiting.shift();
      if (!message) return;
      const work: Promise<void> = takeRabbitmqMessage(message, { inbound, context, connection, channel }).finally(
        () => {
          working.delete(work);
          next();
        },
      );
      working.add(work);
    }
  };
  let stopped = (): void => undefined;
  const ended = new Promise<Error | undefined>((resolve) => {
    stopped = () => resolve(undefined);
    const lost = (why: string): void =>
      resolve(new MillraceError({ code: 'MR_AMQP_LOST', message: `${connection.place}: ${why}` }));
    channel.on('close', () => lost('the channel was closed'));
    connection.onEnd(() => lost('the connection ended'));
    pauses.signal.addEventListener('abort', stopped);
    if (pauses.isStopped) stopped();
    void begin().catch((error: unknown) => resolve(connection.failure(error)));

    async function begin(): Promise<void> {
      await channel.prefetch(settings.prefetch ?? most);
      const take = (message: ConsumeMessage | null): void => {
        if (!message) return lost(`the queue ${queue} was deleted`);
        waiting.push(message);
        return next();
      };
      const options = settings.consumerTag === undefined ? {} : { consumerTag: settings.consumerTag };
      await channel.consume(queue, take, options);
      log.debug({ inbound: inbound.definition.name, broker: connection.place }, 'messages are taken');
      begun();
    }
  });
  const failure = await ended;
  pauses.signal.removeEventListener('abort', stopped);
  // What waits here and was not begun goes back with the channel.
  waiting.length = 0;
  await Promise.all(working);
  if (failure) throw failure;
}
