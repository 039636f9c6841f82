import { getLogger } from '#core';
import { messageOf } from '#errors';
import { answerBody, headerOfProperty, jmsOutgoing, typeOfText, type LiveContext } from '#mediation';
import { bodySourceOf, Payload, type HeaderList, type Message } from '#message';
import { lookUpDestination, type JmsConnection, type JmsDelivery, type JmsMessage, type Naming } from '#transport';
import type { InboundDefinition } from '../definition.ts';
import { injectMessage, originOf } from '../inject.ts';
import { contentOf } from './content.ts';
import type { JmsSettings } from './jms-parameters.ts';

const log = getLogger('inbound');

interface Place {
  readonly definition: InboundDefinition;
  readonly context: LiveContext;
  readonly settings: JmsSettings;
  readonly naming: Naming;
  /** Takes answers back to the broker. */
  readonly connection: JmsConnection;
}

/**
 * Takes a message through the sequence of its endpoint and acknowledges it then, so that none is lost with the process;
 * what is rolled back is delivered again. Gives false for those.
 */
export async function takeJmsMessage(delivery: JmsDelivery, place: Place): Promise<boolean> {
  const { definition, context, settings } = place;
  const { name: inbound } = definition;
  const { message } = delivery;
  const outcome = await context.inWorld((world) =>
    injectMessage(world, injectionOf(message, place), { definition, context }),
  );
  const isRolledBack =
    outcome.isSet('SET_ROLLBACK_ONLY') || outcome.isSet('SET_RECOVER') || (settings.isTransacted && outcome.failed);
  log.debug({ inbound, message: message.id, isRolledBack }, 'a message was taken');
  try {
    await (isRolledBack ? delivery.release() : delivery.acknowledge());
  } catch (error) {
    log.warn({ err: error, inbound, message: message.id }, `the message comes again: ${messageOf(error)}`);
  }
  return !isRolledBack;
}

function injectionOf(message: JmsMessage, place: Place): Parameters<typeof injectMessage>[1] {
  const { settings } = place;
  const content = contentOf(message.body);
  const said = message.properties.get(settings.contentTypeProperty ?? 'Content-Type') ?? settings.contentType;
  const contentType = said === undefined ? (content.type ?? typeOfText(content.text ?? '')) : String(said);
  const bytes = content.text === undefined ? content.bytes : Buffer.from(content.text);
  return {
    payload: Payload.received(bodySourceOf(bytes), originOf(utf8(contentType, content.text !== undefined))),
    headers: headersOf(message, settings, contentType),
    properties: { TRANSPORT_IN_NAME: 'jms', transactionMode: settings.isTransacted },
    streams: false,
    answer: (answer) => reply(answer, message, place),
  };
}

/** A text was decoded by the client: its bytes here are UTF-8, whatever charset it once had. */
function utf8(contentType: string, isText: boolean): string {
  return isText ? `${contentType.replace(/;\s*charset=[^;]*/i, '')}; charset=UTF-8` : contentType;
}

function headersOf(message: JmsMessage, { hyphens }: JmsSettings, contentType: string): HeaderList {
  const { id, correlationId, type, replyTo, priority, isPersistent, timestamp, isRedelivered } = message;
  const own = {
    JMS_MESSAGE_ID: id,
    JMS_COORELATION_ID: correlationId,
    JMS_TYPE: type,
    JMS_REPLY_TO: replyTo?.name,
    JMS_PRIORITY: priority,
    JMS_DELIVERY_MODE: isPersistent ? 2 : 1,
    JMS_TIMESTAMP: timestamp,
    JMS_REDELIVERED: isRedelivered,
  };
  const properties = [...message.properties].flatMap(([name, value]): string[] =>
    value === null || value instanceof Uint8Array || /^content-type$/i.test(name)
      ? []
      : [headerOfProperty(name, hyphens), String(value)],
  );
  const headers = Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)]));
  return ['Content-Type', contentType, ...headers, ...properties];
}

/** Sends an answer to where the message asks for it, or to where the endpoint says. */
async function reply(answer: Message, asked: JmsMessage, place: Place): Promise<void> {
  const { settings, naming, connection, context, definition } = place;
  const { replyDestination, hyphens, contentTypeProperty } = settings;
  const named = replyDestination === undefined ? undefined : lookUpDestination(naming, replyDestination);
  const destination = asked.replyTo ?? named;
  if (!destination) {
    log.debug({ inbound: definition.name, message: asked.id }, 'nobody asked for the answer to the message');
    answer.payload.discard();
    return;
  }
  const body = await answerBody(answer, context.services.settings.maxBodyBytes);
  const outgoing = jmsOutgoing(answer, { body, headers: answer.headers, hyphens, contentTypeProperty });
  await connection.send(destination, {
    ...outgoing,
    replyTo: undefined,
    correlationId: asked.correlationId ?? (asked.id === '' ? outgoing.correlationId : asked.id),
  });
}
