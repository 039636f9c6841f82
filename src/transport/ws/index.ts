export { acceptWebSocket } from './accept.ts';
export { closeForBackEnd, closeForClient, isSendableCode, type CloseFacts } from './close-code.ts';
export { connectWebSocket, type WebSocketConnectOptions, type WebSocketTarget } from './connect.ts';
export {
  asksForWebSocket,
  isPlainProtocol,
  readHandshake,
  type HandshakeRefusal,
  type WebSocketHandshake,
} from './handshake.ts';
export { defaultWebSocketLimits, type WebSocketLimits } from './limits.ts';
export { WebSocketLink, type WebSocketFrame } from './link.ts';
