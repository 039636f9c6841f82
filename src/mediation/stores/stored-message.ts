import { Message, type Addressing, type HeaderList, type MessageExchange, type Payload } from '#message';

/** A message at rest: everything of it that goes on when it is taken up again. */
export interface StoredMessage {
  readonly id: string;
  readonly payload: Payload;
  readonly headers: Readonly<HeaderList>;
  readonly properties: ReadonlyMap<string, unknown>;
  readonly axis2: ReadonlyMap<string, unknown>;
  readonly variables: ReadonlyMap<string, unknown>;
  readonly addressing: Readonly<Addressing>;
}

/** Takes a copy of a message whose payload is loaded. */
export function storedFrom(message: Message): StoredMessage {
  return {
    id: message.id,
    payload: message.payload.clone(),
    headers: message.headers.slice(),
    properties: new Map(message.properties),
    axis2: new Map(message.axis2),
    variables: new Map(message.variables),
    addressing: { ...message.addressing },
  };
}

/** A message of an exchange of its own that goes on where the stored one was; the stored one stays as it is. */
export function revive(stored: StoredMessage, exchange: MessageExchange): Message {
  const message = new Message(exchange, stored.payload.clone(), stored.headers.slice());
  message.properties = new Map(stored.properties);
  message.axis2 = new Map(stored.axis2);
  message.variables = new Map(stored.variables);
  Object.assign(message.addressing, stored.addressing);
  return message;
}
