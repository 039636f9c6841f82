import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type * as Rhea from 'rhea';
import type { Connection, Delivery, EventContext, Receiver, Sender } from 'rhea';
import type { Clock } from '#core';
import { messageOf } from '#errors';
import type { BrokerAddress } from '../broker-url.ts';
import type { JmsDestination, JmsMessage, JmsOutgoing } from '../message.ts';
import { createOneByOne, type SlotEvents, type SlotHost } from '../one-by-one.ts';
import {
  type JmsBrowseReach,
  connectPatience,
  jmsError,
  type JmsConnection,
  type JmsConsumer,
  type JmsFailure,
  type JmsReplyQueue,
  type JmsSubscription,
} from '../provider.ts';
import { decodeMessage, encodeMessage } from './message.ts';
import { sourceOf } from './source.ts';

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

/** A way to one destination, and who waits for what becomes of what was sent on it. */
interface OpenSender {
  readonly sender: Sender;
  readonly unsettled: Map<Delivery, Waiting>;
}

/** A connection of AMQP 1.0 as JMS sees it. */
export class QpidConnection implements JmsConnection, SlotHost {
  readonly clock: Clock;
  readonly #rhea: typeof Rhea;
  readonly #connection: Connection;
  readonly #place: string;
  readonly #senders = new Map<string, Promise<OpenSender>>();
  readonly #endings = new Set<() => void>();
  #ended: Error | undefined;

  constructor(rhea: typeof Rhea, connection: Connection, facts: { place: string; clock: Clock }) {
    this.#rhea = rhea;
    this.#connection = connection;
    this.#place = facts.place;
    this.clock = facts.clock;
    for (const event of ['connection_close', 'connection_error', 'disconnected']) {
      connection.on(event, ({ error }: EventContext) => this.#end(error));
    }
  }

  get isOpen(): boolean {
    return this.#ended === undefined;
  }

  onEnd(action: () => void): () => void {
    this.#endings.add(action);
    return () => void this.#endings.delete(action);
  }

  async send(destination: JmsDestination, message: JmsOutgoing): Promise<void> {
    const { sender, unsettled } = await this.#senderTo(destination);
    const id = `ID:${randomUUID()}`;
    const encoded = encodeMessage(this.#rhea, message, { id, now: this.clock.now() });
    await this.#untilDone((waiting) => void unsettled.set(sender.send(encoded), waiting));
  }

  async #senderTo(destination: JmsDestination): Promise<OpenSender> {
    const key = `${destination.kind}:${destination.name}`;
    const known = this.#senders.get(key);
    if (known) return known;
    const opening = this.#openSender(destination);
    this.#senders.set(key, opening);
    opening.catch(() => this.#senders.delete(key));
    return opening;
  }

  async #openSender({ kind, name }: JmsDestination): Promise<OpenSender> {
    const sender = this.#connection.open_sender({ target: { address: name, capabilities: [kind] } as object });
    const unsettled = new Map<Delivery, Waiting>();
    const settle = (event: string, act: (waiting: Waiting) => void): void => {
      sender.on(event, ({ delivery }: EventContext) => {
        const waiting = delivery && unsettled.get(delivery);
        if (!waiting) return;
        unsettled.delete(delivery);
        act(waiting);
      });
    };
    settle('accepted', ({ resolve }) => resolve());
    for (const event of ['rejected', 'released', 'modified']) {
      settle(event, ({ reject }) =>
        reject(jmsError('MR_JMS_REFUSED', `${this.#place} ${event} a message for ${name}`)),
      );
    }
    await this.#untilDone(({ resolve, reject }) => {
      sender.once('sendable', () => resolve());
      sender.once('sender_error', () => reject(this.#refusal(name, sender.error)));
      sender.once('sender_close', () => reject(this.#refusal(name, sender.error)));
    });
    sender.on('sender_close', () => {
      this.#senders.delete(`${kind}:${name}`);
      // A broker may end the way instead of settling what was sent on it.
      for (const { reject } of unsettled.values()) reject(this.#refusal(name, sender.error));
      unsettled.clear();
    });
    return { sender, unsettled };
  }

  consume(destination: JmsDestination, subscription: JmsSubscription = {}): Promise<JmsConsumer> {
    const { durableName } = subscription;
    return createOneByOne(this, async (events) => {
      const receiver = await this.#openReceiver(
        destination,
        sourceOf(this.#rhea, destination, subscription),
        durableName,
      );
      this.#deliver(receiver, destination.name, events);
      // Whoever closes a durable subscription instead of leaving it ends it.
      return async () => (durableName === undefined ? receiver.close() : receiver.detach());
    });
  }

  async openReplyQueue(): Promise<JmsReplyQueue> {
    const receiver = await this.#openReceiver({ kind: 'queue', name: '' }, { address: undefined, dynamic: true });
    const name = (receiver.source as { address?: string } | undefined)?.address ?? '';
    const consumer = await createOneByOne(this, async (events) => {
      this.#deliver(receiver, name, events);
      return async () => receiver.close();
    });
    return { destination: { kind: 'queue', name, isTemporary: true }, consumer, close: () => consumer.close() };
  }

  #deliver(receiver: Receiver, name: string, { arrive, lost }: SlotEvents): void {
    receiver.once('receiver_close', () => lost(this.#refusal(name, receiver.error)));
    const settle = (act: () => void): Promise<void> => {
      if (!this.isOpen)
        return Promise.reject(this.#ended ?? jmsError('MR_JMS_LOST', `no connection to ${this.#place}`));
      act();
      receiver.add_credit(1);
      return Promise.resolve();
    };
    receiver.on('message', ({ message, delivery }: EventContext) => {
      arrive({
        read: () => decodeMessage(message!, (message?.delivery_count ?? 0) > 0),
        acknowledge: () => settle(() => delivery?.accept()),
        release: () => settle(() => delivery?.modified({ delivery_failed: true, undeliverable_here: false })),
      });
    });
    receiver.add_credit(1);
  }

  async browse(queue: JmsDestination, { limit, skip }: JmsBrowseReach): Promise<readonly JmsMessage[]> {
    const receiver = await this.#openReceiver(queue, { distribution_mode: 'copy' });
    const found: JmsMessage[] = [];
    await this.#untilDone(({ resolve, reject }) => {
      receiver.on('message', ({ message }: EventContext) => {
        const decoded = message && decodeMessage(message, false);
        if (decoded && !skip.has(decoded.id)) found.push(decoded);
        if (found.length >= limit) resolve();
      });
      receiver.once('receiver_drained', () => resolve());
      receiver.once('receiver_error', () => reject(this.#refusal(queue.name, receiver.error)));
      // No more than those that are skipped come besides.
      receiver.add_credit(limit + skip.size);
      receiver.drain_credit();
    });
    receiver.close();
    return found;
  }

  async close(): Promise<void> {
    if (!this.isOpen) return;
    const closed = new Promise<void>((resolve) => void this.onEnd(resolve));
    // A broker that does not answer need not be waited for.
    const stopWaiting = this.clock.after(1000, () => this.#end(undefined));
    this.#connection.close();
    await closed;
    stopWaiting();
  }

  async #openReceiver({ kind, name }: JmsDestination, source: object, linkName?: string): Promise<Receiver> {
    const receiver = this.#connection.open_receiver({
      ...(linkName !== undefined && { name: linkName }),
      source: { address: name, capabilities: [kind], ...source },
      credit_window: 0,
      autoaccept: false,
    });
    await this.#untilDone(({ resolve, reject }) => {
      receiver.once('receiver_open', () => resolve());
      receiver.once('receiver_error', () => reject(this.#refusal(name, receiver.error)));
      receiver.once('receiver_close', () => reject(this.#refusal(name, receiver.error)));
    });
    return receiver;
  }

  /** Waits for something that the broker tells, or for the end of the connection. */
  #untilDone(begin: (waiting: Waiting) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(this.#ended);
      const offEnd = this.onEnd(() => reject(this.#ended ?? jmsError('MR_JMS_LOST', 'the connection ended')));
      begin({
        resolve: () => {
          offEnd();
          resolve();
        },
        reject: (reason) => {
          offEnd();
          reject(reason);
        },
      });
      return undefined;
    });
  }

  #refusal(name: string, error: unknown): Error {
    return jmsError('MR_JMS_REFUSED', `${this.#place} refuses ${name}: ${reasonOf(error)}`);
  }

  #end(error: unknown): void {
    if (this.#ended) return;
    const why = error === undefined || error === null ? 'the connection was closed' : reasonOf(error);
    this.#ended = jmsError('MR_JMS_LOST', `${this.#place}: ${why}`);
    for (const action of this.#endings) action();
  }
}

/** Milliseconds of silence after which the system asks whether the other side is there. */
const silence = 30_000;

/** Connects and signs in. @throws MillraceError `MR_JMS_CONNECT` or `MR_JMS_REFUSED` */
export function connectQpid(
  rhea: typeof Rhea,
  address: BrokerAddress,
  facts: { username: string | undefined; password: string | undefined; clientId: string | undefined; clock: Clock },
): Promise<JmsConnection> {
  const { host, port, usesTls } = address;
  const { username, password, clientId, clock } = facts;
  const place = `${host}:${port}`;
  return new Promise((resolve, reject) => {
    const container = rhea.create_container({ id: clientId ?? `millrace-${randomUUID()}` });
    const connection = container.connect({
      host,
      port,
      reconnect: false,
      ...(usesTls ? { transport: 'tls' as const, servername: host } : { transport: 'tcp' as const }),
      ...(username === undefined ? {} : { username, password: password ?? '' }),
    });
    const fail = (code: JmsFailure, why: string): void => {
      stop();
      reject(jmsError(code, `${place}: ${why}`));
    };
    const stop = clock.after(connectPatience, () => {
      fail('MR_JMS_CONNECT', `no answer within ${connectPatience} ms`);
      connection.close();
    });
    connection.once('connection_open', () => {
      stop();
      // The library's own watch over silence outlives some connections; the system's does not.
      (connection as unknown as { readonly socket?: Socket }).socket?.setKeepAlive(true, silence);
      resolve(new QpidConnection(rhea, connection, { place, clock }));
    });
    connection.on('connection_error', ({ error }: EventContext) => fail('MR_JMS_REFUSED', reasonOf(error)));
    connection.on('disconnected', ({ error }: EventContext) => fail('MR_JMS_CONNECT', reasonOf(error)));
    connection.on('error', (error: unknown) => fail('MR_JMS_REFUSED', reasonOf(error)));
  });
}

function reasonOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'condition' in error) {
    const { condition, description } = error as { condition?: string; description?: string };
    return [condition, description].filter((each) => each !== undefined && each !== null).join(': ');
  }
  return error === undefined || error === null ? 'the connection was closed' : messageOf(error);
}
