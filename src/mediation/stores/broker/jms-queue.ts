import { getLogger, type Clock } from '#core';
import { MillraceError } from '#errors';
import {
  lookUpBroker,
  lookUpDestination,
  type JmsConnection,
  type JmsDestination,
  type JmsMessage,
  type JmsValue,
  type Naming,
} from '#transport';
import { readDocument, writeDocument } from '../stored-document.ts';
import type { StoredMessage } from '../stored-message.ts';
import { adoptForeign, documentMark, originalId, sendingFactsOf } from './broker-document.ts';
import type { BrokerConsumer, BrokerQueue } from './broker-queue.ts';
import { createReopened, type Reopened } from '../../brokers/reopened.ts';

const log = getLogger('mediation.store');

/** What the parameters of a store over JMS say, resolved. */
export interface JmsQueueOptions {
  readonly store: string;
  readonly naming: Naming;
  readonly connectionFactory: string;
  readonly destination: string;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** Whether the connection for sending stays open between messages. */
  readonly keepsConnection: boolean;
  /** Milliseconds that a peek waits for a message. */
  readonly receiveTimeout: number;
  readonly clock: Clock;
}

/** Priority of messages that name none, as JMS has it. */
const usualPriority = 4;
/** Milliseconds after which a queue that gives nothing is taken for empty. */
const emptyAfter = 500;

/** A queue behind JMS, with one connection for sending and one for receiving as in the original. */
export function createJmsQueue(options: JmsQueueOptions): BrokerQueue {
  const { store, naming, username, password, keepsConnection, receiveTimeout, clock } = options;
  const connect = async (): Promise<JmsConnection> => {
    const { provider, url } = lookUpBroker(naming, options.connectionFactory);
    const connection = await provider.connect({ url, username, password, clock });
    log.debug({ store, protocol: provider.protocol }, 'connected to the broker');
    return connection;
  };
  const sending = createReopened(connect);
  const receiving = createReopened(connect);
  const queue = (): JmsDestination => queueOf(lookUpDestination(naming, options.destination), store);
  let underWay = 0;

  /** Works with the connection for sending, which closes with the last one who does so unless it is kept. */
  const withSending = async (work: (connection: JmsConnection) => Promise<void>): Promise<void> => {
    underWay++;
    try {
      await work(await sending.get());
    } finally {
      underWay--;
      if (!keepsConnection && underWay === 0) await sending.close();
    }
  };

  return {
    send: (message) => withSending((connection) => connection.send(queue(), outgoing(message))),
    consume: () => consumerOn(receiving, { queue: queue(), receiveTimeout }),
    async browse(reach) {
      const connection = await receiving.get();
      if (!connection.browse) {
        const message = `The broker of ${store} shows messages only to those who take them`;
        throw new MillraceError({ code: 'MR_STORE_HIDDEN', message });
      }
      const found = await connection.browse(queue(), reach);
      return Promise.all(found.map(async (each) => ({ id: each.id, message: await storedOf(each, store) })));
    },
    async take(id) {
      const connection = await receiving.get();
      const selector = `JMSMessageID = '${id.replaceAll("'", "''")}'`;
      const consumer = await connection.consume(queue(), { selector });
      try {
        const delivery = await consumer.receive(emptyAfter);
        await delivery?.acknowledge();
        return delivery !== undefined;
      } finally {
        await consumer.close();
      }
    },
    async purge() {
      const connection = await receiving.get();
      const consumer = await connection.consume(queue());
      try {
        for (;;) {
          const delivery = await consumer.receive(emptyAfter);
          if (!delivery) return;
          await delivery.acknowledge();
        }
      } finally {
        await consumer.close();
      }
    },
    // JMS has no such question.
    size: () => Promise.resolve(-1),
    probe: () => withSending(async () => undefined),
    async close() {
      await sending.close();
      await receiving.close();
    },
  };
}

async function consumerOn(
  connections: Reopened<JmsConnection>,
  { queue, receiveTimeout }: { readonly queue: JmsDestination; readonly receiveTimeout: number },
): Promise<BrokerConsumer> {
  const connection = await connections.get();
  const consumer = await connection.consume(queue);
  return {
    async receive(signal) {
      const delivery = await consumer.receive(receiveTimeout, signal);
      if (!delivery) return undefined;
      return {
        message: await storedOf(delivery.message, queue.name),
        get isLost() {
          return delivery.isLost;
        },
        acknowledge: () => delivery.acknowledge(),
      };
    },
    close: () => consumer.close(),
  };
}

function queueOf(destination: JmsDestination, store: string): JmsDestination {
  if (destination.kind === 'queue') return destination;
  const message = `"store.jms.destination" of ${store} is the topic ${destination.name}; expected a queue`;
  throw new MillraceError({ code: 'MR_STORE_DESTINATION', message });
}

function outgoing(message: StoredMessage): Parameters<JmsConnection['send']>[1] {
  const { properties, ...facts } = sendingFactsOf(message, usualPriority);
  return {
    ...facts,
    body: { kind: 'text', text: writeDocument(message) },
    properties: new Map<string, JmsValue>([...properties, [originalId, message.id], [documentMark, 1]]),
  };
}

/** A message of ours as it was stored; the body of a text or bytes message of somebody else. */
async function storedOf(
  { id, body, properties, correlationId, type }: JmsMessage,
  place: string,
): Promise<StoredMessage> {
  if (body.kind === 'text' && properties.has(documentMark)) return readDocument(body.text);
  const headers = new Map(
    [...properties].flatMap(([name, value]): [string, string][] =>
      value === null || value instanceof Uint8Array ? [] : [[name, String(value)]],
    ),
  );
  if (correlationId !== undefined) headers.set('JMS_COORELATION_ID', correlationId);
  if (type !== undefined) headers.set('JMS_TYPE', type);
  const contentType = [...headers].find(([name]) => /^content[-_]?type$/i.test(name))?.[1];
  if (body.kind === 'text') return adoptForeign({ id, text: body.text, contentType, headers });
  if (body.kind === 'bytes') return adoptForeign({ id, bytes: body.bytes, contentType, headers });
  if (body.kind === 'none') return adoptForeign({ id, text: '', contentType, headers });
  const what = body.kind === 'object' ? 'a serialized Java object' : `a ${body.kind} message`;
  throw new MillraceError({
    code: 'MR_STORE_CONTENT',
    message: `The message ${id} of ${place} is ${what}, which cannot be read; expected a message of this program, text or bytes`,
  });
}
