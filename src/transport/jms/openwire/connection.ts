import { randomUUID } from 'node:crypto';
import type { Clock } from '#core';
import type { SlotHost } from '../one-by-one.ts';
import {
  type JmsBrowseReach,
  jmsError,
  type JmsConnection,
  type JmsConsumer,
  type JmsReplyQueue,
  type JmsSubscription,
} from '../provider.ts';
import type { JmsDestination, JmsMessage, JmsOutgoing } from '../message.ts';
import { browseQueue } from './browser.ts';
import { encodeBody, encodeDestination } from './bodies.ts';
import type { BrokerAddress } from '../broker-url.ts';
import { replyQueueOn } from '../reply-queue.ts';
import { exceptionField, numberField, objectField, type Command } from './codec.ts';
import { createConsumer } from './consumer.ts';
import { openLink, type Link } from './link.ts';
import { encodeMap } from './primitives.ts';
import { redeliveryPolicyOf, type RedeliveryPolicy } from './redelivery.ts';

/** Who connects. */
export interface Account {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly clientId: string | undefined;
}

/** What consumers do on the connection that they belong to. */
export interface Session extends SlotHost {
  readonly connectionId: string;
  readonly redelivery: RedeliveryPolicy;
  nextNumber(): number;
  /** Sends a command and waits until the broker has done what it says. @throws MillraceError with its reason */
  call(command: Command): Promise<void>;
  /** Sends a command that nothing waits for. */
  tell(command: Command): void;
  /** Has the messages for a consumer handed to it; the result ends that. */
  listen(consumer: number, dispatch: (dispatch: Command) => void): () => void;
}

/** What is done with a destination. */
const addDestination = 0;
const removeDestination = 1;

/** The number of the only session and producer of a connection. */
const only = 1n;

/** Connects and signs in. @throws MillraceError `MR_JMS_CONNECT` or `MR_JMS_REFUSED` */
export async function openConnection(address: BrokerAddress, account: Account, clock: Clock): Promise<JmsConnection> {
  const connection = new OpenWireConnection(address, clock);
  try {
    await connection.begin(account);
  } catch (error) {
    connection.stop();
    throw error;
  }
  return connection;
}

class OpenWireConnection implements JmsConnection, Session {
  readonly connectionId = `ID:millrace-${randomUUID()}`;
  readonly clock: Clock;
  readonly redelivery: RedeliveryPolicy;
  readonly #address: BrokerAddress;
  #link: Link | undefined;
  #ended: Error | undefined;
  #lastCommand = 0;
  #lastNumber = 0;
  #lastMessage = 0n;
  readonly #waiting = new Map<number, { resolve: () => void; reject: (reason: Error) => void }>();
  readonly #consumers = new Map<number, (dispatch: Command) => void>();
  readonly #endings = new Set<() => void>();

  constructor(address: BrokerAddress, clock: Clock) {
    this.#address = address;
    this.clock = clock;
    this.redelivery = redeliveryPolicyOf(address.options);
  }

  get isOpen(): boolean {
    return this.#ended === undefined && this.#link?.isOpen === true;
  }

  async begin({ username, password, clientId }: Account): Promise<void> {
    const events = {
      command: (command: Command) => this.#take(command),
      closed: (reason: Error) => this.#end(reason),
    };
    this.#link = await openLink(this.#address, events, this.clock);
    await this.call({
      name: 'ConnectionInfo',
      fields: {
        connectionId: { name: 'ConnectionId', fields: { value: this.connectionId } },
        clientId: clientId ?? this.connectionId,
        userName: username,
        password,
        manageable: true,
        faultTolerant: false,
      },
    });
    await this.call({ name: 'SessionInfo', fields: { sessionId: this.#sessionId } });
    await this.call({ name: 'ProducerInfo', fields: { producerId: this.#producerId } });
  }

  nextNumber(): number {
    return ++this.#lastNumber;
  }

  call(command: Command): Promise<void> {
    return new Promise((resolve, reject) => {
      const reason = this.#whyNot();
      if (reason) return reject(reason);
      const commandId = ++this.#lastCommand;
      this.#waiting.set(commandId, { resolve, reject });
      this.#link?.write(withFields(command, { commandId, responseRequired: true }));
      return undefined;
    });
  }

  tell(command: Command): void {
    this.#link?.write(withFields(command, { commandId: ++this.#lastCommand, responseRequired: false }));
  }

  listen(consumer: number, dispatch: (dispatch: Command) => void): () => void {
    this.#consumers.set(consumer, dispatch);
    return () => void this.#consumers.delete(consumer);
  }

  onEnd(action: () => void): () => void {
    this.#endings.add(action);
    return () => void this.#endings.delete(action);
  }

  async send(destination: JmsDestination, message: JmsOutgoing): Promise<void> {
    const { name, content } = encodeBody(message.body);
    const now = this.clock.now();
    const messageId: Command = {
      name: 'MessageId',
      fields: { producerId: this.#producerId, producerSequenceId: ++this.#lastMessage },
    };
    await this.call({
      name,
      fields: {
        producerId: this.#producerId,
        destination: encodeDestination(destination),
        messageId,
        correlationId: message.correlationId,
        persistent: message.isPersistent,
        expiration: message.timeToLive > 0 ? BigInt(now + message.timeToLive) : 0n,
        priority: message.priority,
        replyTo: message.replyTo && encodeDestination(message.replyTo),
        timestamp: BigInt(now),
        type: message.type,
        content,
        marshalledProperties: message.properties.size > 0 ? encodeMap(message.properties) : undefined,
      },
    });
  }

  consume(destination: JmsDestination, subscription: JmsSubscription = {}): Promise<JmsConsumer> {
    return createConsumer(this, destination, subscription);
  }

  async openReplyQueue(): Promise<JmsReplyQueue> {
    const name = `${this.connectionId}:${this.nextNumber()}`;
    const fields = {
      connectionId: { name: 'ConnectionId', fields: { value: this.connectionId } } as const,
      destination: encodeDestination({ kind: 'queue', name, isTemporary: true }),
    };
    await this.call({ name: 'DestinationInfo', fields: { ...fields, operationType: addDestination } });
    return replyQueueOn(this, name, () =>
      this.call({ name: 'DestinationInfo', fields: { ...fields, operationType: removeDestination } }),
    );
  }

  browse(queue: JmsDestination, reach: JmsBrowseReach): Promise<readonly JmsMessage[]> {
    return browseQueue(this, queue, reach);
  }

  async close(): Promise<void> {
    if (this.isOpen) {
      const connectionId: Command = { name: 'ConnectionId', fields: { value: this.connectionId } };
      // The broker drops the connection by itself when it does not hear this.
      await this.call({ name: 'RemoveInfo', fields: { objectId: connectionId } }).catch(() => undefined);
      this.tell({ name: 'ShutdownInfo', fields: {} });
    }
    this.stop();
  }

  /** Ends without a word to the broker. */
  stop(): void {
    this.#end(jmsError('MR_JMS_LOST', `the connection to ${this.#place} was closed`));
  }

  get #place(): string {
    return `${this.#address.host}:${this.#address.port}`;
  }

  get #sessionId(): Command {
    return { name: 'SessionId', fields: { connectionId: this.connectionId, value: only } };
  }

  get #producerId(): Command {
    return { name: 'ProducerId', fields: { connectionId: this.connectionId, sessionId: only, value: only } };
  }

  #whyNot(): Error | undefined {
    return this.#ended ?? (this.isOpen ? undefined : jmsError('MR_JMS_LOST', `no connection to ${this.#place}`));
  }

  #take(command: Command): void {
    switch (command.name) {
      case 'Response':
      case 'DataResponse':
      case 'ExceptionResponse': {
        const id = numberField(command, 'correlationId');
        const caller = this.#waiting.get(id);
        this.#waiting.delete(id);
        if (command.name === 'ExceptionResponse') caller?.reject(this.#refusal(command));
        else caller?.resolve();
        return;
      }
      case 'MessageDispatch': {
        const consumer = objectField(command, 'consumerId');
        if (consumer) this.#consumers.get(numberField(consumer, 'value'))?.(command);
        return;
      }
      case 'ConnectionError':
        return this.#end(this.#refusal(command));
      case 'ShutdownInfo':
        return this.#end(jmsError('MR_JMS_LOST', `${this.#place} shuts down`));
      case 'ConnectionControl':
        if (command.fields['close'] === true) this.#end(jmsError('MR_JMS_LOST', `${this.#place} ends connections`));
        return;
      default:
        // What a broker tells of itself changes nothing here.
        return;
    }
  }

  /** What the broker refuses, in its own words. */
  #refusal(command: Command): Error {
    const { className, message } = exceptionField(command);
    return jmsError('MR_JMS_REFUSED', `${this.#place} refuses: ${message === '' ? className : message} (${className})`);
  }

  #end(reason: Error): void {
    if (this.#ended) return;
    this.#ended = reason;
    this.#link?.close(reason);
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
    for (const action of this.#endings) action();
  }
}

function withFields(command: Command, fields: Command['fields']): Command {
  return { name: command.name, fields: { ...command.fields, ...fields } };
}
