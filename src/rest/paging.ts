import type { ZodType } from 'zod';
import type { SchemaBuilder } from './operation.ts';

export interface Paging {
  readonly limit: number;
  readonly offset: number;
}

export interface Page<Item> {
  /** Items on this page. */
  readonly count: number;
  readonly list: readonly Item[];
  readonly pagination: Paging & {
    readonly total: number;
    /** Targets relative to the host; empty where there is no such page. */
    readonly next: string;
    readonly previous: string;
  };
}

/** The query parameters of a list: `limit` (1 to `maximum`, 25 when absent) and `offset`. */
export function pagingFields(
  z: SchemaBuilder,
  maximum = 500,
): { readonly limit: ZodType<number>; readonly offset: ZodType<number> } {
  return {
    limit: z.coerce.number().int().min(1).max(maximum).default(25),
    offset: z.coerce.number().int().min(0).default(0),
  };
}

/**
 * The page of a list, with links to its neighbours.
 *
 * @param found the items of this page and how many there are in all
 */
export function pageOf<Item>(
  found: { readonly items: readonly Item[]; readonly total: number },
  paging: Paging,
  url: URL,
): Page<Item> {
  const { limit, offset } = paging;
  const link = (target: number): string => {
    const query = new URLSearchParams(url.search);
    query.set('limit', String(limit));
    query.set('offset', String(target));
    return `${url.pathname}?${query.toString()}`;
  };
  return {
    count: found.items.length,
    list: found.items,
    pagination: {
      offset,
      limit,
      total: found.total,
      next: offset + limit < found.total ? link(offset + limit) : '',
      previous: offset > 0 ? link(Math.max(0, offset - limit)) : '',
    },
  };
}

/** The page of a list that is all in memory. */
export function pageOfAll<Item>(items: readonly Item[], paging: Paging, url: URL): Page<Item> {
  const { limit, offset } = paging;
  return pageOf({ items: items.slice(offset, offset + limit), total: items.length }, paging, url);
}
