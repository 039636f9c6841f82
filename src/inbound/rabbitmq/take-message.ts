import { getLogger } from '#core';
import { messageOf } from '#errors';
import { answerBody, rabbitmqOutgoing, typeOfText, type LiveContext } from '#mediation';
import { bodySourceOf, Payload, type HeaderList, type Message } from '#message';
import type { AmqpChannel, AmqpConnection, ConsumeMessage } from '#transport';
import { injectMessage, originOf, type InjectionOutcome } from '../inject.ts';
import type { RabbitmqInbound } from './rabbitmq.ts';

const log = getLogger('inbound');

interface Place {
  readonly inbound: RabbitmqInbound;
  readonly context: LiveContext;
  readonly connection: AmqpConnection;
  readonly channel: AmqpChannel;
}

/** Milliseconds before a message comes again of which nothing could be said. */
const troublePause = 1000;

/**
 * Takes a message through the sequence of its endpoint and settles it then, so that none is lost with the process.
 * Nothing is thrown: what could not be settled comes again.
 */
export async function takeRabbitmqMessage(message: ConsumeMessage, place: Place): Promise<void> {
  const { inbound, context, channel } = place;
  const { definition, settings } = inbound;
  const facts = { inbound: definition.name, message: message.properties.messageId as unknown };
  try {
    if (settings.acknowledgesFirst) channel.ack(message);
    const outcome = await context.inWorld((world) =>
      injectMessage(world, injectionOf(message, place), { definition, context }),
    );
    if (settings.acknowledgesFirst) return;
    if (outcome.failed) await giveBack(message, place, outcome);
    else channel.ack(message);
    log.debug({ ...facts, failed: outcome.failed }, 'a message was taken');
  } catch (error) {
    if (settings.acknowledgesFirst) {
      log.error({ ...facts, err: error }, `a message that was acknowledged first is lost: ${messageOf(error)}`);
      return;
    }
    log.warn({ ...facts, err: error }, `the message comes again: ${messageOf(error)}`);
    await wait(troublePause, context);
    try {
      channel.nack(message, false, true);
    } catch (closed) {
      // With its channel a broker takes back what was not settled.
      log.debug({ ...facts, err: closed }, 'the channel was closed');
    }
  }
}

function wait(milliseconds: number, { services }: LiveContext): Promise<void> {
  return new Promise((done) => void services.clock.after(milliseconds, done));
}

/** Rejects a message, which makes it a dead letter, or requeues it; one that came back too often goes elsewhere. */
async function giveBack(message: ConsumeMessage, place: Place, outcome: InjectionOutcome): Promise<void> {
  const { inbound, context, connection, channel } = place;
  const { settings, definition } = inbound;
  const { mostDeadLetters, errors, requeueDelay, route } = settings;
  const deaths = deathsOf(message, route.queue);
  if (mostDeadLetters !== undefined && deaths >= mostDeadLetters) {
    const facts = { inbound: definition.name, message: message.properties.messageId as unknown, deaths };
    if (errors) {
      const { content, properties } = message;
      await connection.publish({ ...errors, content, options: { ...properties, persistent: true } });
      log.warn({ ...facts, ...errors }, 'a message failed too often and went to the errors');
    } else {
      log.error(facts, 'a message failed too often and is dropped');
    }
    channel.ack(message);
    return;
  }
  if (requeueDelay > 0) await wait(requeueDelay, context);
  channel.nack(message, false, outcome.isSet('SET_REQUEUE_ON_ROLLBACK'));
}

interface Death {
  readonly queue?: unknown;
  readonly count?: unknown;
}

/** How often the message was rejected from this queue, as the broker counts it. */
function deathsOf({ properties }: ConsumeMessage, queue: string): number {
  const deaths: unknown = properties.headers?.['x-death'];
  if (!Array.isArray(deaths)) return 0;
  const own = (deaths as readonly Death[]).filter((death) => death.queue === queue);
  return own.reduce((sum, { count }) => sum + Number(count ?? 0), 0);
}

function injectionOf(message: ConsumeMessage, place: Place): Parameters<typeof injectMessage>[1] {
  const { contentType: wanted } = place.inbound.settings;
  const { content, properties } = message;
  const said = wanted ?? (properties.contentType as string | undefined);
  const contentType = said ?? typeOfText(content.toString('utf8'));
  const facts = {
    'rabbitmq.message.id': properties.messageId as unknown,
    'rabbitmq.message.correlation.id': properties.correlationId as unknown,
    'rabbitmq.message.reply.to': properties.replyTo as unknown,
  };
  return {
    payload: Payload.received(bodySourceOf(content), originOf(contentType)),
    headers: headersOf(message, contentType),
    properties: {
      TRANSPORT_IN_NAME: 'rabbitmq',
      ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)),
    },
    streams: false,
    answer: (answer) => reply(answer, message, place),
  };
}

function headersOf({ properties }: ConsumeMessage, contentType: string): HeaderList {
  const headers = Object.entries((properties.headers ?? {}) as Readonly<Record<string, unknown>>).flatMap(
    ([name, value]): string[] =>
      /^content-type$/i.test(name) || value === null || value === undefined || value instanceof Uint8Array
        ? []
        : [name, typeof value === 'string' ? value : JSON.stringify(value)],
  );
  return ['Content-Type', contentType, ...headers];
}

/** Sends an answer to the queue that the message names for it. */
async function reply(answer: Message, { properties }: ConsumeMessage, place: Place): Promise<void> {
  const { connection, context, inbound } = place;
  const replyTo = properties.replyTo as string | undefined;
  if (replyTo === undefined || replyTo === '') {
    log.debug({ inbound: inbound.definition.name }, 'nobody asked for the answer to the message');
    answer.payload.discard();
    return;
  }
  const body = await answerBody(answer, context.services.settings.maxBodyBytes);
  const { content, options } = rabbitmqOutgoing(answer, { body, headers: answer.headers });
  const correlationId = (properties.correlationId ?? properties.messageId) as string | undefined;
  await connection.publish({
    exchange: '',
    routingKey: replyTo,
    content,
    options: { ...options, ...(correlationId !== undefined && { correlationId }) },
  });
}
