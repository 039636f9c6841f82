/** What a WebSocket connection may cost and how long it may be silent. */
export interface WebSocketLimits {
  /** Most bytes of one message; a longer one ends the connection with 1009. */
  readonly maxPayloadBytes: number;
  /** Bytes that wait for a slow reader before what fills them is held back. */
  readonly maxBufferedBytes: number;
  /** Milliseconds of silence after which the far end is asked whether it is there; 0 for never. */
  readonly pingInterval: number;
  /** Milliseconds without a message in either direction after which the connection is closed; 0 for never. */
  readonly idleTimeout: number;
  /** Milliseconds within which a back end must have answered the handshake. */
  readonly connectTimeout: number;
}

export const defaultWebSocketLimits: WebSocketLimits = {
  maxPayloadBytes: 1_048_576,
  maxBufferedBytes: 65_536,
  pingInterval: 30_000,
  idleTimeout: 0,
  connectTimeout: 20_000,
};
