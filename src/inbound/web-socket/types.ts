import type { WebSocketFrame } from '#transport';

/** A client of an endpoint as modules see it. */
export interface FrameClientView {
  readonly id: string;
  /** Path and query of its handshake. */
  readonly target: string;
  /** The subprotocol that both sides speak; empty when there is none. */
  readonly protocol: string;
  /** Sends a frame; resolves when the client takes more. */
  send(frame: WebSocketFrame): Promise<void>;
  close(code: number, reason?: string): void;
}

/** A module that `ws.subprotocol.handler.class` names: it takes the frames of one subprotocol. */
export interface SubprotocolHandler {
  getSubprotocolIdentifier(): string;
  /** True when the frame is dealt with; else it goes on to the flow. */
  handle(frame: WebSocketFrame, client: FrameClientView): boolean | Promise<boolean>;
}

/** A module that `ws.pipeline.handler.class` names: it sees every frame first. */
export interface PipelineHandler {
  /** Gives the frame that goes on, which may be another one; undefined keeps it back. */
  handleFrame(
    frame: WebSocketFrame,
    client: FrameClientView,
  ): WebSocketFrame | undefined | Promise<WebSocketFrame | undefined>;
}
