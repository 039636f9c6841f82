import type { World } from '#artifacts';
import type { Flow } from '#mediation';
import type { Message } from '#message';
import type { HttpRequest } from '#transport';
import type { HttpExchange } from './exchange.ts';

/** One request on its way to what serves its path. */
export interface Visit {
  /** The world in which the message began and stays. */
  readonly world: World;
  readonly request: HttpRequest;
  readonly exchange: HttpExchange;
  readonly message: Message;
  /** The inbound endpoint through which the request came; undefined on the listeners of the server. */
  readonly inbound: string | undefined;
  /** The name in `binds-to` that APIs must have to be asked: that of an inbound endpoint, or `default`. */
  readonly binding: string;
}

/** Serves the requests of some paths; undefined leaves a request to the next route. */
export type Route = (visit: Visit) => Flow | Promise<Flow> | undefined;
