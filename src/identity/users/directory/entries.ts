import type { Client, Entry, SearchOptions } from 'ldapts';
import { NoSuchObjectError, SizeLimitExceededError } from 'ldapts';
import { MillraceError } from '#errors';
import type { DirectoryConnections } from './connections.ts';
import type { Referral } from './settings.ts';

/** Referrals are followed so many times, lest two directories refer to each other. */
const mostHops = 3;

export interface Search {
  readonly base: string;
  readonly filter: string;
  readonly attributes: readonly string[];
  /** The entry itself or everything below it; the latter when absent. */
  readonly scope?: 'base' | 'sub';
  /** Most entries; 0 for no limit. */
  readonly limit?: number;
}

/** Searches of a directory. */
export interface Entries {
  find(search: Search): Promise<readonly Entry[]>;
  /** The same below several bases in order, up to the limit. */
  findBelow(bases: readonly string[], search: Omit<Search, 'base'>): Promise<readonly Entry[]>;
  read(dn: string, attributes: readonly string[]): Promise<Entry | undefined>;
  /** All values of an attribute, also from a directory that gives them in ranges of `step`. */
  allValues(entry: Entry, attribute: string, step: number): Promise<readonly string[]>;
}

export function createEntries(connections: DirectoryConnections, referral: Referral): Entries {
  const searchOn = async (client: Client, search: Search, hops: number): Promise<readonly Entry[]> => {
    const limit = search.limit ?? 0;
    const options: SearchOptions = {
      scope: search.scope ?? 'sub',
      filter: search.filter,
      attributes: [...search.attributes],
      explicitBufferAttributes: binaryAttributes,
      sizeLimit: limit,
      // Directories cap what they give at once; pages get past that.
      paged: limit === 0 && (search.scope ?? 'sub') === 'sub' ? { pageSize: 500 } : false,
    };
    const found: Entry[] = [];
    try {
      const { searchEntries, searchReferences } = await client.search(search.base, options);
      found.push(...searchEntries);
      for (const reference of searchReferences) found.push(...(await refer(reference, search, hops)));
    } catch (error) {
      if (error instanceof NoSuchObjectError) return [];
      if (!(error instanceof SizeLimitExceededError)) throw error;
      // Some give what they have with the error, the library only the error: pages as long as the limit get them.
      found.push(...(await firstPage(client, search, limit)));
    }
    return limit === 0 ? found : found.slice(0, limit);
  };

  const refer = async (reference: string, search: Search, hops: number): Promise<readonly Entry[]> => {
    if (referral === 'ignore') return [];
    const target = referral === 'throw' || !URL.canParse(reference) ? undefined : new URL(reference);
    if (!target || hops >= mostHops) {
      throw new MillraceError({
        code: 'MR_STORE_REFERRAL',
        status: 503,
        message: 'The user store refers to another directory',
        detail: `${reference}, and Referral is ${referral}`,
      });
    }
    const base = decodeURIComponent(target.pathname.slice(1)) || search.base;
    const url = `${target.protocol}//${target.host}`;
    return connections.useAt(url, (client) => searchOn(client, { ...search, base }, hops + 1));
  };

  const find: Entries['find'] = (search) => connections.use((client) => searchOn(client, search, 0));

  return {
    find,
    async findBelow(bases, search) {
      const limit = search.limit ?? 0;
      const found: Entry[] = [];
      for (const base of bases) {
        if (limit > 0 && found.length >= limit) break;
        const rest = limit === 0 ? 0 : limit - found.length;
        found.push(...(await find({ ...search, base, limit: rest })));
      }
      return found;
    },
    async read(dn, attributes) {
      const [entry] = await find({ base: dn, scope: 'base', filter: '(objectClass=*)', attributes });
      return entry;
    },
    async allValues(entry, attribute, step) {
      const values = [...valuesOf(entry, attribute)];
      for (let ranged = rangeOf(entry, attribute); ranged;) {
        values.push(...textsOf(entry[ranged.key]));
        if (ranged.isLast) break;
        const from = ranged.to + 1;
        const until = step > 0 ? String(from + step - 1) : '*';
        const name = `${attribute};range=${from}-${until}`;
        const [next] = await find({ base: entry.dn, scope: 'base', filter: '(objectClass=*)', attributes: [name] });
        if (!next) break;
        entry = next;
        const following = rangeOf(entry, attribute);
        if (!following || following.to < from) break;
        ranged = following;
      }
      return values;
    },
  };
}

const binaryAttributes = ['objectGUID'];

/** The values of an attribute as texts; names of attributes are compared without case. */
export function valuesOf(entry: Entry, attribute: string): readonly string[] {
  const wanted = attribute.toLowerCase();
  const key = Object.keys(entry).find((name) => name.toLowerCase() === wanted);
  return key === undefined ? [] : textsOf(entry[key]);
}

export function valueOf(entry: Entry, attribute: string): string | undefined {
  return valuesOf(entry, attribute)[0];
}

function textsOf(value: Entry[string] | undefined): readonly string[] {
  const list = value === undefined ? [] : Array.isArray(value) ? value : [value];
  return list.map((each) => (typeof each === 'string' ? each : guidOf(each)));
}

/** A binary identifier as Active Directory writes it: the first three groups are little-endian. */
function guidOf(bytes: Buffer): string {
  if (bytes.length !== 16) return bytes.toString('hex');
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  const hex = order.map((index) => (bytes[index] ?? 0).toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The filter value that finds such an identifier. */
export function guidFilter(guid: string): string {
  const hex = guid.replaceAll('-', '');
  const order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
  return order.map((index) => `\\${hex.slice(index * 2, index * 2 + 2)}`).join('');
}

interface Range {
  readonly key: string;
  readonly to: number;
  readonly isLast: boolean;
}

/** `member;range=0-1499`, and `*` at the end of the last one. */
function rangeOf(entry: Entry, attribute: string): Range | undefined {
  for (const key of Object.keys(entry)) {
    const match = /^(.+);range=\d+-(\d+|\*)$/i.exec(key);
    if (match?.[1]?.toLowerCase() !== attribute.toLowerCase()) continue;
    return { key, to: match[2] === '*' ? Infinity : Number(match[2]), isLast: match[2] === '*' };
  }
  return undefined;
}

async function firstPage(client: Client, search: Search, limit: number): Promise<readonly Entry[]> {
  const options: SearchOptions = {
    scope: search.scope ?? 'sub',
    filter: search.filter,
    attributes: [...search.attributes],
    explicitBufferAttributes: binaryAttributes,
    paged: { pageSize: limit },
  };
  for await (const { searchEntries } of client.searchPaginated(search.base, options)) return searchEntries;
  return [];
}
