import type { ChannelModel, ConfirmChannel, Channel, ConsumeMessage, GetMessage, Options } from 'amqplib';
import { MillraceError, messageOf } from '#errors';
import type { TlsMaterial } from '#keystore';
import { loadAmqplib } from './amqplib.ts';

/** Milliseconds within which a broker must accept a connection. */
const connectPatience = 10_000;
const heartbeatSeconds = 30;

/** How to reach one broker of AMQP 0-9-1. */
export interface AmqpAddress {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly virtualHost: string;
  /** Present for TLS. */
  readonly tls?: AmqpTls | undefined;
  /** Seconds between signs of life; 30 when absent. */
  readonly heartbeat?: number | undefined;
  /** Milliseconds within which the broker must accept the connection; 10 seconds when absent. */
  readonly connectTimeout?: number | undefined;
}

export interface AmqpTls extends TlsMaterial {
  /** The only version to speak, such as `TLSv1.2`. */
  readonly version?: 'TLSv1.2' | 'TLSv1.3' | undefined;
}

/** A message to send. */
export interface AmqpOutgoing {
  readonly exchange: string;
  readonly routingKey: string;
  readonly content: Buffer;
  readonly options: Options.Publish;
}

/**
 * A connection over AMQP 0-9-1: channels, and sending with the broker's confirmation. Once it is broken every method
 * fails; whoever uses it connects anew.
 */
export class AmqpConnection {
  readonly #model: ChannelModel;
  readonly #place: string;
  readonly #endings = new Set<() => void>();
  #ended: Error | undefined;
  #sending: Promise<Sending> | undefined;

  constructor(model: ChannelModel, place: string) {
    this.#model = model;
    this.#place = place;
    // Without a listener an error of the connection would end the process.
    model.on('error', (error: Error) => this.#end(error));
    model.on('close', (error?: Error) => this.#end(error));
  }

  get isOpen(): boolean {
    return this.#ended === undefined;
  }

  get place(): string {
    return this.#place;
  }

  onEnd(action: () => void): () => void {
    this.#endings.add(action);
    return () => void this.#endings.delete(action);
  }

  /** A channel of its own, which a refusal closes. */
  async channel(): Promise<Channel> {
    try {
      const channel = await this.#model.createChannel();
      // What was refused is thrown by the call that met it.
      channel.on('error', () => undefined);
      return channel;
    } catch (error) {
      throw this.failure(error);
    }
  }

  /** Does work on a channel that is closed afterwards. @throws MillraceError `MR_AMQP_REFUSED` with the broker's reason */
  async onChannel<T>(work: (channel: Channel) => Promise<T>): Promise<T> {
    const channel = await this.channel();
    try {
      const result = await work(channel);
      await channel.close();
      return result;
    } catch (error) {
      throw this.failure(error);
    }
  }

  /**
   * Sends a message; resolves when the broker has taken it over, and fails when no queue takes it.
   *
   * @throws MillraceError `MR_AMQP_REFUSED` or `MR_AMQP_LOST`
   */
  async publish(message: AmqpOutgoing): Promise<void> {
    this.#sending ??= this.#openSending();
    const opening = this.#sending;
    try {
      await (await opening).send(message);
    } catch (error) {
      // What no queue takes leaves the channel as it is.
      const isUsable = await opening.then(({ isOpen }) => isOpen).catch(() => false);
      if (!isUsable && this.#sending === opening) this.#sending = undefined;
      throw this.failure(error);
    }
  }

  async close(): Promise<void> {
    // A broker that is gone needs no farewell.
    if (this.isOpen) await this.#model.close().catch(() => undefined);
    this.#end(undefined);
  }

  /** An error of the broker or of the connection, as ours. */
  failure(error: unknown): Error {
    if (error instanceof MillraceError) return error;
    const code = this.isOpen ? 'MR_AMQP_REFUSED' : 'MR_AMQP_LOST';
    return new MillraceError({ code, message: `${this.#place}: ${messageOf(error)}`, cause: error });
  }

  async #openSending(): Promise<Sending> {
    const { capabilities } = this.#model.connection.serverProperties as { capabilities?: Record<string, unknown> };
    if (capabilities?.['publisher_confirms'] === true)
      return confirmedSending(await this.#model.createConfirmChannel());
    return plainSending(await this.channel());
  }

  #end(error: Error | undefined): void {
    if (this.#ended) return;
    const why = error ? messageOf(error) : 'the connection was closed';
    this.#ended = new MillraceError({ code: 'MR_AMQP_LOST', message: `${this.#place}: ${why}` });
    for (const action of this.#endings) action();
  }
}

interface Sending {
  /** Whether more can be sent. */
  readonly isOpen: boolean;
  send(message: AmqpOutgoing): Promise<void>;
}

/** The header that tells which message the broker returned. */
const sendingHeader = 'millrace-sending';

/** Sending with the broker's confirmation of each message. */
function confirmedSending(channel: ConfirmChannel): Sending {
  const returned = new Set<unknown>();
  const ending = endingOf(channel);
  channel.on('return', ({ properties }) => returned.add(properties.headers?.[sendingHeader]));
  let last = 0;
  return {
    get isOpen() {
      return ending.isOpen;
    },
    send: ({ exchange, routingKey, content, options }) =>
      new Promise((resolve, reject) => {
        const number = ++last;
        const headers = { ...(options.headers as Record<string, unknown> | undefined), [sendingHeader]: number };
        channel.publish(exchange, routingKey, content, { ...options, headers, mandatory: true }, (error: unknown) => {
          // The broker returns a message before it confirms it.
          if (returned.delete(number)) {
            reject(new Error(`no queue takes what is sent to exchange "${exchange}" with the key "${routingKey}"`));
          } else if (error !== null && error !== undefined) {
            // A channel that ends fails all that was not confirmed.
            reject(
              ending.reason ?? (error instanceof Error ? error : new Error('the broker did not take the message')),
            );
          } else {
            resolve();
          }
        });
      }),
  };
}

/** Whether a channel is open, and why the broker has closed it. */
function endingOf(channel: Channel): { readonly isOpen: boolean; readonly reason: Error | undefined } {
  const ending: { isOpen: boolean; reason: Error | undefined } = { isOpen: true, reason: undefined };
  channel.on('error', (error: Error) => (ending.reason = error));
  channel.on('close', () => (ending.isOpen = false));
  return ending;
}

/** Sending to brokers that confirm nothing: an answer on the same channel shows that they have come past the message. */
function plainSending(channel: Channel): Sending {
  const ending = endingOf(channel);
  return {
    get isOpen() {
      return ending.isOpen;
    },
    async send({ exchange, routingKey, content, options }) {
      channel.publish(exchange, routingKey, content, options);
      await channel.checkExchange(exchange === '' ? 'amq.direct' : exchange);
    },
  };
}

/** Connects and signs in. @throws MillraceError `MR_AMQP_CONNECT` naming host and port, never the password */
export async function connectAmqp(address: AmqpAddress): Promise<AmqpConnection> {
  const { host, port, username, password, virtualHost, tls } = address;
  const { heartbeat = heartbeatSeconds, connectTimeout = connectPatience } = address;
  const amqplib = await loadAmqplib();
  const place = `${host}:${port}`;
  try {
    const model = await amqplib.connect(
      {
        protocol: tls ? 'amqps' : 'amqp',
        hostname: host,
        port,
        username,
        password,
        vhost: virtualHost,
        heartbeat,
      },
      { timeout: connectTimeout, noDelay: true, ...(tls && tlsOptionsOf(tls, host)) },
    );
    return new AmqpConnection(model, place);
  } catch (error) {
    throw new MillraceError({ code: 'MR_AMQP_CONNECT', message: `${place}: ${reasonOf(error)}`, cause: error });
  }
}

function tlsOptionsOf({ version, key, cert, ca }: AmqpTls, host: string): Record<string, unknown> {
  return {
    servername: host,
    ...(version && { minVersion: version, maxVersion: version }),
    ...(key !== undefined && { key, cert }),
    ...(ca && { ca: [...ca] }),
  };
}

/** The words of the broker; it ends a connection without any when the virtual host or the account is wrong. */
function reasonOf(error: unknown): string {
  const text = messageOf(error);
  return text === '' ? ((error as NodeJS.ErrnoException).code ?? 'the connection was refused') : text;
}

export type { ConsumeMessage, GetMessage, Channel as AmqpChannel };
