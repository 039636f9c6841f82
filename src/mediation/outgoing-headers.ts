import type { HeaderList } from '#message';

/** Headers that the transport writes itself, or that belong to one hop (runtime-core 4.3). */
const ownedByTransport = [
  'connection',
  'content-length',
  'date',
  'host',
  'keep-alive',
  'server',
  'transfer-encoding',
  'user-agent',
];

/**
 * Fields that only make sense in a request. A message that is answered without a back end having been asked still
 * carries the headers of its request, and these must not go back to the client.
 */
const requestOnly = [
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'authorization',
  'content-type',
  'cookie',
  'expect',
  'forwarded',
  'from',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'max-forwards',
  'origin',
  'proxy-authorization',
  'range',
  'referer',
  'soapaction',
  'te',
  'upgrade-insecure-requests',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
];

/** Makes a test "is this name in the set?" that lower-cases only names whose length occurs in it. */
function nameTest(names: Iterable<string>): (name: string) => boolean {
  const set = new Set(names);
  const lengths: boolean[] = [];
  for (const name of set) lengths[name.length] = true;
  return (name) => lengths[name.length] === true && set.has(name.toLowerCase());
}

/** Copies the headers that go to a back end; `preserved` names survive although the transport owns them. */
export function requestHeaderFilter(preserved: ReadonlySet<string>): (headers: HeaderList) => HeaderList {
  return filterBy(nameTest(ownedByTransport.filter((name) => !preserved.has(name))));
}

/** Copies the headers that go to a client, from a back end's answer or from the request itself. */
export function responseHeaderFilter(
  preserved: ReadonlySet<string>,
  origin: 'back end' | 'request',
): (headers: HeaderList) => HeaderList {
  const owned = ownedByTransport.filter((name) => !preserved.has(name));
  return filterBy(nameTest(origin === 'back end' ? owned : [...owned, ...requestOnly]));
}

function filterBy(isDropped: (name: string) => boolean): (headers: HeaderList) => HeaderList {
  return (headers) => {
    const kept: HeaderList = [];
    for (let index = 0; index < headers.length; index += 2) {
      const name = headers[index] as string;
      if (!isDropped(name)) kept.push(name, headers[index + 1] as string);
    }
    return kept;
  };
}
