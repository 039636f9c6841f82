import type { CompiledApi } from './artifact.ts';

/** The request facts by which an API is chosen. */
export interface ApiRequest {
  /** Raw path and query. */
  readonly target: string;
  readonly scheme: 'http' | 'https';
  /** The Host header; undefined when there is none. */
  readonly host: string | undefined;
  /** Hears of an API that would take the request if it came over the other transport. */
  onDenied?(api: CompiledApi): void;
}

export interface ApiMatch {
  readonly api: CompiledApi;
  /** What follows context and version, with the query; may be empty. */
  readonly postfix: string;
}

/** The APIs of a world, ready to be searched. */
export interface ApiTable {
  find(request: ApiRequest): ApiMatch | undefined;
}

/**
 * Sorts the APIs that are bound to `binding` by context length, longest first and otherwise in deployment order. A
 * search asks the versioned ones first and then all of them (runtime-core 2.2).
 */
export function createApiTable(apis: Iterable<CompiledApi>, binding: string): ApiTable {
  const sorted = [...apis]
    .filter(({ definition }) => definition.bindsTo.includes(binding))
    .sort((left, right) => right.context.length - left.context.length);
  const versioned = sorted.filter(({ definition }) => definition.version !== undefined);
  const searched = versioned.length === 0 ? sorted : [...versioned, ...sorted];
  return {
    find(request) {
      for (const api of searched) {
        const postfix = matchContext(api, request.target);
        if (postfix === undefined || !matchesHost(api, request)) continue;
        if (matchesTransport(api, request)) return { api, postfix };
        request.onDenied?.(api);
      }
      return undefined;
    },
  };
}

/** The rest of the target behind context and version; undefined when they do not match. */
function matchContext(api: CompiledApi, target: string): string | undefined {
  const { context, definition } = api;
  if (!target.startsWith(context)) return undefined;
  const next = target.charCodeAt(context.length);
  const isWhole = Number.isNaN(next) || next === 0x2f || next === 0x3f;
  if (!isWhole && context !== '') return undefined;
  const rest = target.slice(context.length);
  if (definition.versionType !== 'url') return rest;
  const version = /^\/([^/?]*)/.exec(rest)?.[1];
  return version === definition.version ? rest.slice(1 + (version?.length ?? 0)) : undefined;
}

function matchesHost({ definition }: CompiledApi, { host, scheme }: ApiRequest): boolean {
  const { hostname, port } = definition;
  if (hostname === undefined && (port === undefined || port < 0)) return true;
  if (host === undefined) return false;
  const colon = /:\d+$/.exec(host)?.index ?? -1;
  const name = colon < 0 ? host : host.slice(0, colon);
  const hostPort = colon < 0 ? (scheme === 'http' ? 80 : 443) : Number(host.slice(colon + 1));
  return (hostname === undefined || hostname === name) && (port === undefined || port < 0 || port === hostPort);
}

function matchesTransport({ definition }: CompiledApi, { scheme }: ApiRequest): boolean {
  return definition.transports === undefined || definition.transports === scheme;
}
