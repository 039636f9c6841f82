export { createDispatcher, runGuarded, type DispatcherOptions } from './dispatcher.ts';
export type { HttpExchange } from './exchange.ts';
export { refuseBadHandshakes } from './handshakes.ts';
export { answerFault, type EngineFault } from './fault-answer.ts';
export type { ServerAddress } from './server-address.ts';
export type { Route, Visit } from './visit.ts';
