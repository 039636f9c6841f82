export { createDispatcher, runGuarded, type DispatcherOptions } from './dispatcher.ts';
export type { ServerAddress } from './server-address.ts';
export type { Route, Visit } from './visit.ts';
