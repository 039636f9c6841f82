import type { HeaderList, Message } from '#message';
import type { AmqpOutgoing } from '#transport';
import { textOfValue } from '../shared/typed-value.ts';
import type { WireBody } from './wire-body.ts';

const notHeaders = /^(?:Content-Type|Content-Length|Host|Connection|Transfer-Encoding|User-Agent|Accept.*)$/i;

export interface RabbitmqOutgoingFacts {
  readonly body: WireBody;
  readonly headers: HeaderList;
  /** What the message does not say itself: `1` for one that is not kept on disk. */
  readonly deliveryMode?: string | undefined;
}

/** A message of RabbitMQ of a mediated one: transport headers become its headers. */
export function rabbitmqOutgoing(
  message: Message,
  { body, headers, deliveryMode }: RabbitmqOutgoingFacts,
): Pick<AmqpOutgoing, 'content' | 'options'> {
  const own: Record<string, string> = {};
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? '';
    if (!notHeaders.test(name)) own[name] = headers[at + 1] ?? '';
  }
  const valueOf = (name: string): string | undefined => {
    const value: unknown = message.axis2.get(name) ?? message.properties.get(name);
    return value === undefined ? undefined : textOfValue(value).trim();
  };
  const priority = valueOf('rabbitmq.message.priority');
  const mode = valueOf('rabbitmq.delivery.mode') ?? deliveryMode;
  const expiration = valueOf('rabbitmq.message.expiration');
  const correlationId = valueOf('rabbitmq.message.correlation.id') ?? valueOf('RABBITMQ_MESSAGE_CORRELATION_ID');
  return {
    content: Buffer.from(body.bytes),
    options: {
      ...(body.contentType !== undefined && { contentType: body.contentType }),
      contentEncoding: 'utf-8',
      messageId: message.id,
      persistent: mode !== '1',
      headers: own,
      ...(priority !== undefined && /^\d{1,3}$/.test(priority) && { priority: Number(priority) }),
      ...(expiration !== undefined && { expiration }),
      ...(correlationId !== undefined && { correlationId }),
    },
  };
}
