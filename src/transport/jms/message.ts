/** A value that a JMS message carries: a property, an entry of a map, an item of a stream. */
export type JmsValue = string | number | bigint | boolean | Uint8Array | null;

/** What is in a JMS message, by the kind of message. */
export type JmsBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'map'; readonly entries: ReadonlyMap<string, JmsValue> }
  | { readonly kind: 'stream'; readonly items: readonly JmsValue[] }
  /** A serialized Java object. */
  | { readonly kind: 'object'; readonly bytes: Uint8Array };

/** Where messages wait or are spread. */
export interface JmsDestination {
  readonly kind: 'queue' | 'topic';
  readonly name: string;
  /** True for one that ends with the connection that made it. */
  readonly isTemporary?: true;
}

/** What a sender says of a message. */
export interface JmsOutgoing {
  readonly body: JmsBody;
  readonly properties: ReadonlyMap<string, JmsValue>;
  readonly correlationId?: string | undefined;
  readonly replyTo?: JmsDestination | undefined;
  readonly type?: string | undefined;
  /** 0 to 9; 4 is the usual one. */
  readonly priority: number;
  /** Whether the broker keeps it on disk. */
  readonly isPersistent: boolean;
  /** Milliseconds after which the broker may drop it; 0 for never. */
  readonly timeToLive: number;
}

/** A message as a broker gives it. */
export interface JmsMessage extends Omit<JmsOutgoing, 'timeToLive'> {
  readonly id: string;
  /** Milliseconds since the epoch at which it was sent; 0 when the sender did not say. */
  readonly timestamp: number;
  /** Whether somebody had it before and did not acknowledge it. */
  readonly isRedelivered: boolean;
}
