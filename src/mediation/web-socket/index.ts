export { offerWebSocket } from './client.ts';
export { closeOf, describeClose, namesCloseCode, saysTerminate } from './close-message.ts';
export { attachFrameClient, type FrameClient } from './frame-client.ts';
export { frameOfAnswer } from './frame-answer.ts';
export { messageOfFrame, type FrameSink } from './frame-message.ts';
export type { CurrentWorld } from './outflow.ts';
export { createWebSocketSender, sendWhole, type WebSocketHandler, type WebSocketSender } from './sockets.ts';
export type { WebSocketSchemeSettings, WebSocketSettings } from './settings.ts';
