import type { Message, MessageExchange } from '#message';
import type { CloseFacts, WebSocketLink } from '#transport';
import type { FrameSink } from './frame-message.ts';

/** A client of which each frame is a message: back ends that it reaches have connections for it alone. */
export interface FrameClient extends FrameSink {
  /** Subprotocols to ask back ends for. */
  readonly protocols: readonly string[];
  /** Sequences for frames of back ends; those of the sender when undefined. */
  readonly outflow: string | undefined;
  readonly outflowFault: string | undefined;
  /** Connections to back ends, by their address. */
  readonly backEnds: Map<string, Promise<WebSocketLink>>;
  /** Notes on a message from a back end whose client it is for. */
  describe(message: Message): void;
  /** Sees each answer before it is a frame; false withholds it. */
  beforeAnswer(message: Message): Promise<boolean>;
  /** A back end has ended its connection. */
  backEndEnded(facts: CloseFacts): void;
}

const clients = new WeakMap<MessageExchange, FrameClient>();

/** Notes whose messages an exchange has. */
export function attachFrameClient(exchange: MessageExchange, client: FrameClient): void {
  clients.set(exchange, client);
}

/** The client whose frames or handshake the messages of an exchange are. */
export function frameClientOf(exchange: MessageExchange): FrameClient | undefined {
  return clients.get(exchange);
}
