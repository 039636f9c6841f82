import type { StorePage, StoreReach } from './store-page.ts';
import type { StoredMessage } from './stored-message.ts';

/** A message in a store, with the number under which it can be removed. */
export interface StoreEntry {
  readonly number: number;
  readonly message: StoredMessage;
}

/** Who takes messages out of a store, such as a message processor. */
export interface Taker {
  /** Stands for it: what one taker has, a broker gives to no other. */
  readonly owner: object;
  /** Ends the wait for a message. */
  readonly signal: AbortSignal;
}

/** Keeps messages in the order in which they came, until they are removed. */
export interface MessageStore {
  readonly name: string;
  /** Class by which the original knows the kind. */
  readonly className: string;
  /** Takes a message. Once the promise is there, the message is as safe as the kind of store makes it. */
  offer(message: StoredMessage): Promise<void>;
  /** The next message besides those with the numbers, which somebody works on; it stays in the store. */
  peek(besides: ReadonlySet<number>, taker?: Taker): Promise<StoreEntry | undefined>;
  /** Removes a message; false when it was not there any more. */
  remove(number: number): Promise<boolean>;
  clear(): Promise<void>;
  /** How many messages wait; -1 where nobody can know. */
  size(): Promise<number>;
  /**
   * A page of messages, for people who look into the store. Whoever goes from page to page meets each message that
   * stays there once, whatever is taken or added meanwhile.
   *
   * @throws MillraceError `MR_STORE_CURSOR` for a cursor that is none of this store
   */
  list(reach: StoreReach): Promise<StorePage<StoreEntry>>;
  /** The message with the number, for people who look at it; undefined when it is not there any more. */
  find(number: number): Promise<StoreEntry | undefined>;
  /** Gives back what an owner has taken and not removed, where that is held for it. */
  readonly release?: (owner: object) => Promise<void>;
}

/** Names of parameters that every kind knows. */
export const commonParameters: readonly string[] = [
  'store.producer.guaranteed.delivery.enable',
  'store.failover.message.store.name',
];
