export { offerWebSocket } from './client.ts';
export type { CurrentWorld } from './outflow.ts';
export { createWebSocketSender, type WebSocketHandler, type WebSocketSender } from './sockets.ts';
export type { WebSocketSchemeSettings, WebSocketSettings } from './settings.ts';
