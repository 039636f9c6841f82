import type { RequestHandler } from '../contract.ts';
import type { ListenerLimits } from './listener-options.ts';

/** What all connections of a listener share. */
export interface ServerContext {
  readonly handler: RequestHandler;
  readonly limits: ListenerLimits;
  readonly scheme: 'http' | 'https';
  readonly serverHeader: string | undefined;
  /** True when connections are to be closed after their present answer. */
  isClosing(): boolean;
}
