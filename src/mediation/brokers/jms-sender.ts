import { randomUUID } from 'node:crypto';
import type { Clock } from '#core';
import { MillraceError } from '#errors';
import type { HeaderList } from '#message';
import {
  lookUpBroker,
  lookUpDestination,
  type JmsConnection,
  type JmsDestination,
  type JmsMessage,
  type JmsOutgoing,
  type Naming,
} from '#transport';
import { typeOfText } from './text-type.ts';
import type { BrokerAddress } from './broker-address.ts';
import type { BrokerConnections } from './broker-connections.ts';
import type { BrokerReply, BrokerSending } from './broker-sender.ts';
import { headerOfProperty, jmsOutgoing, wholeNumber, type Hyphens } from './jms-outgoing.ts';

/** What sending to a broker needs besides the message. */
export interface BrokerTools {
  readonly address: BrokerAddress;
  /** Milliseconds that an answer is waited for. */
  readonly patience: number;
  readonly clock: Clock;
  readonly connections: BrokerConnections;
  pathOf(path: string): string;
}

const prefix = 'transport.jms.';

/**
 * Sends to `jms:/NAME?…`, and waits for the answer if somebody asks for one; undefined when none comes.
 *
 * @throws MillraceError `MR_JMS_…`
 */
export async function sendJms(sending: BrokerSending, tools: BrokerTools): Promise<BrokerReply | undefined> {
  const { parameters, name } = tools.address;
  const { clock } = tools;
  const valueOf = (parameter: string): string | undefined => parameters.get(`${prefix}${parameter}`);
  const naming: Naming = { properties: parameters, pathOf: (path) => tools.pathOf(path) };
  const { provider, url } = lookUpBroker(naming, factoryOf(tools.address));
  const destination = destinationOf(naming, name, valueOf('DestinationType') ?? valueOf('ConnectionFactoryType'));
  const account = { username: valueOf('UserName'), password: valueOf('Password') };
  const hyphens = hyphensOf(valueOf('MessagePropertyHyphens'));
  const { message, request, body } = sending;
  const outgoing = jmsOutgoing(message, {
    body,
    headers: request.headers,
    hyphens,
    contentTypeProperty: valueOf('ContentTypeProperty'),
  });
  const said = {
    isPersistent: valueOf('DeliveryMode'),
    priority: valueOf('Priority'),
    timeToLive: valueOf('TimeToLive'),
  };
  const whole: JmsOutgoing = {
    ...outgoing,
    ...(said.isPersistent !== undefined && { isPersistent: !/^(?:1|NON_PERSISTENT)$/i.test(said.isPersistent) }),
    ...(said.priority !== undefined && { priority: Math.min(9, wholeNumber('Priority', said.priority, 4)) }),
    ...(said.timeToLive !== undefined && { timeToLive: wholeNumber('TimeToLive', said.timeToLive, 0) }),
  };
  const open = (): Promise<JmsConnection> => provider.connect({ url, ...account, clock });
  return tools.connections.use(['jms', url, account], open, async (connection) => {
    if (!sending.asks) {
      const replyTo = valueOf('ReplyDestination');
      const named = replyTo === undefined ? {} : { replyTo: lookUpDestination(naming, replyTo) };
      await connection.send(destination, { ...whole, ...named });
      return undefined;
    }
    const answer = await ask(connection, { destination, outgoing: whole, naming, sending, tools });
    return answer && replyOf(answer, hyphens);
  });
}

interface Asking {
  readonly destination: JmsDestination;
  readonly outgoing: JmsOutgoing;
  readonly naming: Naming;
  readonly sending: BrokerSending;
  readonly tools: BrokerTools;
}

/** Sends a message and takes its answer, from a queue of its own or from the one that the address names. */
async function ask(connection: JmsConnection, asking: Asking): Promise<JmsMessage | undefined> {
  const { destination, outgoing, naming, sending, tools } = asking;
  const named = tools.address.parameters.get(`${prefix}ReplyDestination`);
  const correlationId = outgoing.correlationId ?? randomUUID();
  const replyTo = named === undefined ? undefined : lookUpDestination(naming, named);
  const selector = `JMSCorrelationID = '${correlationId.replaceAll("'", "''")}'`;
  const own = replyTo ? undefined : await connection.openReplyQueue();
  const consumer = own?.consumer ?? (await connection.consume(replyTo as JmsDestination, { selector }));
  try {
    await connection.send(destination, { ...outgoing, correlationId, replyTo: own?.destination ?? replyTo });
    const delivery = await consumer.receive(tools.patience, sending.signal);
    await delivery?.acknowledge();
    return delivery?.message;
  } finally {
    if (connection.isOpen) await (own ?? consumer).close();
  }
}

function replyOf({ body, properties, correlationId, type }: JmsMessage, hyphens: Hyphens): BrokerReply {
  const bytes = body.kind === 'text' ? Buffer.from(body.text) : body.kind === 'bytes' ? body.bytes : new Uint8Array();
  const said = [...properties].find(([name]) => /^content[-_]?type$/i.test(name))?.[1];
  const usual = body.kind === 'text' ? typeOfText(body.text) : 'application/octet-stream';
  const headers: HeaderList = ['Content-Type', typeof said === 'string' ? said : usual];
  if (correlationId !== undefined) headers.push('JMS_COORELATION_ID', correlationId);
  if (type !== undefined) headers.push('JMS_TYPE', type);
  for (const [name, value] of properties) {
    if (value === null || value instanceof Uint8Array || /^content[-_]?type$/i.test(name)) continue;
    headers.push(headerOfProperty(name, hyphens), String(value));
  }
  return { headers, bytes };
}

function destinationOf(naming: Naming, name: string, kind: string | undefined): JmsDestination {
  const found = lookUpDestination(naming, name);
  return kind === 'topic' || kind === 'queue' ? { ...found, kind } : found;
}

function factoryOf({ parameters }: BrokerAddress): string {
  const name = parameters.get(`${prefix}ConnectionFactoryJNDIName`);
  if (name !== undefined && name !== '') return name;
  const message = `the address needs "${prefix}ConnectionFactoryJNDIName"`;
  throw new MillraceError({ code: 'MR_BROKER_ADDRESS', message });
}

function hyphensOf(text: string | undefined): Hyphens {
  return text === 'replace' || text === 'delete' ? text : 'none';
}
