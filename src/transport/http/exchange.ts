import type { RequestBody } from './request-body.ts';
import type { Http1Responder } from './responder.ts';

/** A request that is under way on a connection. */
export interface Exchange {
  readonly responder: Http1Responder;
  readonly body: RequestBody | null;
}
