import type { Clock } from '#core';
import { MillraceError } from '#errors';
import type { JmsDestination, JmsMessage, JmsOutgoing } from './message.ts';

/** How a connection factory reaches its broker. */
export interface JmsConnectFacts {
  /** The broker's address as the connection factory has it, such as `tcp://localhost:61616`. */
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly clientId?: string | undefined;
  readonly clock: Clock;
}

/** A message that was received and is not acknowledged yet. */
export interface JmsDelivery {
  readonly message: JmsMessage;
  /** True once the broker will give the message to somebody again, whatever happens here. */
  readonly isLost: boolean;
  /** Takes the message off the queue; resolves when the broker has done so. */
  acknowledge(): Promise<void>;
  /** Gives the message back, to be delivered again to whoever is next. */
  release(): Promise<void>;
}

/** Which messages of a destination are taken, and what the broker remembers of who takes them. */
export interface JmsSubscription {
  readonly selector?: string | undefined;
  /** A topic keeps its messages under this name while nobody takes them. */
  readonly durableName?: string | undefined;
  /** Several consumers share the messages of one subscription (JMS 2.0). */
  readonly isShared?: boolean | undefined;
  /** True to leave out what this connection sent to the topic. */
  readonly noLocal?: boolean | undefined;
}

/** A queue for answers to this connection alone. */
export interface JmsReplyQueue {
  readonly destination: JmsDestination;
  readonly consumer: JmsConsumer;
  /** Ends it, with what is in it. */
  close(): Promise<void>;
}

/** Takes messages from one destination, as many as its owner asks for and no more. */
export interface JmsConsumer {
  /** The next message; undefined when none came within so many milliseconds, or the signal ended the wait. */
  receive(milliseconds: number, signal?: AbortSignal): Promise<JmsDelivery | undefined>;
  /** Gives back what was received and not acknowledged. */
  close(): Promise<void>;
}

/** Which messages of a queue are looked at: at most so many besides those with the identities. */
export interface JmsBrowseReach {
  readonly limit: number;
  readonly skip: ReadonlySet<string>;
}

/** A connection to a broker. Once it is broken every method fails; whoever uses it connects anew. */
export interface JmsConnection {
  readonly isOpen: boolean;
  /** Sends a message; resolves when the broker has it. */
  send(destination: JmsDestination, message: JmsOutgoing): Promise<void>;
  consume(destination: JmsDestination, subscription?: JmsSubscription): Promise<JmsConsumer>;
  openReplyQueue(): Promise<JmsReplyQueue>;
  /** Looks at the messages of a queue without taking them; absent where the protocol has no way. */
  readonly browse?: (queue: JmsDestination, reach: JmsBrowseReach) => Promise<readonly JmsMessage[]>;
  close(): Promise<void>;
}

/** The client of one kind of JMS broker. */
export interface JmsProvider {
  /** What it speaks, for messages about it. */
  readonly protocol: string;
  /** @throws MillraceError `MR_JMS_URL` for an address that it cannot use */
  checkUrl(url: string): void;
  /** @throws MillraceError `MR_JMS_…` naming the broker, never the password */
  connect(facts: JmsConnectFacts): Promise<JmsConnection>;
}

/** Codes of what goes wrong between here and a broker. */
export type JmsFailure =
  | 'MR_JMS_URL'
  | 'MR_JMS_CONNECT'
  | 'MR_JMS_REFUSED'
  | 'MR_JMS_LOST'
  | 'MR_JMS_PROTOCOL'
  | 'MR_JMS_PACKAGE';

export function jmsError(code: JmsFailure, message: string, cause?: unknown): MillraceError {
  return new MillraceError({ code, message, ...(cause === undefined ? {} : { cause }) });
}

/** Milliseconds within which a broker must accept a connection, unless its address says otherwise. */
export const connectPatience = 10_000;
