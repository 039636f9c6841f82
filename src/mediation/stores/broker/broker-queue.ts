import type { StoredMessage } from '../stored-message.ts';

/** A message that a broker gave and that is not acknowledged yet. */
export interface BrokerDelivery {
  readonly message: StoredMessage;
  /** True once the broker will give it to somebody again, whatever happens here. */
  readonly isLost: boolean;
  /** Resolves when the message is off the queue. */
  acknowledge(): Promise<void>;
}

/** Takes messages off the queue for one owner. */
export interface BrokerConsumer {
  /** The next message; undefined when none came in time. */
  receive(signal: AbortSignal | undefined): Promise<BrokerDelivery | undefined>;
  /** Gives back what is not acknowledged. */
  close(): Promise<void>;
}

/** A message that somebody looked at, with the name that the broker knows it by. */
export interface BrowsedMessage {
  readonly id: string;
  readonly message: StoredMessage;
}

/** What somebody looks at in a queue. */
export interface BrowseReach {
  readonly limit: number;
  /** Names of messages that are not shown, and do not count. */
  readonly skip: ReadonlySet<string>;
}

/** A queue of a broker, as a store uses it. Connections are made when they are needed, and again when they are lost. */
export interface BrokerQueue {
  send(message: StoredMessage): Promise<void>;
  consume(): Promise<BrokerConsumer>;
  /** @throws MillraceError `MR_STORE_HIDDEN` where the broker shows messages only to those who take them */
  browse(reach: BrowseReach): Promise<readonly BrowsedMessage[]>;
  /** Takes the message off that has the name; false when it is not there or somebody has it. */
  take(id: string): Promise<boolean>;
  purge(): Promise<void>;
  /** -1 where the broker does not say. */
  size(): Promise<number>;
  /** Reaches the broker. @throws what keeps it from being reached */
  probe(): Promise<void>;
  close(): Promise<void>;
}
