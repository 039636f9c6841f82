import type { FetchHandler } from './api.ts';
import { errorBodyOf, RestError } from './errors.ts';
import { jsonResponse } from './responses.ts';

/** A handler and the path below which it answers: exactly that path or anything below it. */
export interface Mount {
  /** Such as `/management`; empty for everything that no other mount takes. */
  readonly path: string;
  readonly fetch: FetchHandler;
}

/** One handler of several; the longest path that fits wins, and what fits none is answered with 404. */
export function createSite(mounts: readonly Mount[]): FetchHandler {
  const ordered = mounts.toSorted((left, right) => right.path.length - left.path.length);
  return async (request, connection) => {
    const { pathname } = new URL(request.url);
    const mount = ordered.find(({ path }) => path === '' || pathname === path || pathname.startsWith(`${path}/`));
    if (mount) return mount.fetch(request, connection);
    const error = new RestError({ code: 'MR_REST_NOT_FOUND', status: 404, message: `Nothing is at ${pathname}` });
    return jsonResponse(errorBodyOf(error), 404);
  };
}
