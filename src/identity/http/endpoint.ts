import type { HeaderList } from '#message';
import type { Peer } from '#transport';
import type { Tenant } from '../tenants/tenant.ts';

/** A request to an endpoint of the authorization server, its body read. */
export interface EndpointRequest {
  readonly method: string;
  /** Path below the tenant's, such as `/oauth2/token`. */
  readonly path: string;
  /** Query without the question mark; empty when there is none. */
  readonly query: string;
  readonly headers: HeaderList;
  /** The body as text; empty when there is none. */
  readonly body: string;
  readonly tenant: Tenant;
  /** Path that a proxy in front took away, with a slash before it; empty where there is none. */
  readonly publicPath: string;
  /** True when the path named the tenant. */
  readonly namesTenant: boolean;
  readonly peer: Peer;
  /** Scheme and authority at which the caller reached the server, such as `https://localhost:9443`. */
  readonly origin: string;
}

/** What an endpoint answers. */
export interface EndpointAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: string;
}

/** One endpoint of the authorization server. */
export interface Endpoint {
  /** Below the tenant's path; a trailing `/*` takes everything below. */
  readonly path: string;
  readonly methods: readonly ('GET' | 'POST' | 'PUT' | 'DELETE')[];
  /** True when a browser's script of any origin may call it (CORS without credentials). */
  readonly isOpenToScripts?: boolean;
  handle(request: EndpointRequest): Promise<EndpointAnswer> | EndpointAnswer;
}

/** Headers of every protocol answer (identity 1.1). */
const protocolHeaders: HeaderList = [
  'Content-Type',
  'application/json',
  'Cache-Control',
  'no-store',
  'Pragma',
  'no-cache',
];

/** A JSON answer that must not be kept. */
export function jsonAnswer(value: unknown, status = 200, headers: HeaderList = []): EndpointAnswer {
  return { status, headers: [...protocolHeaders, ...headers], body: JSON.stringify(value) };
}

/** An answer without a body. */
export function emptyAnswer(status: number, headers: HeaderList = []): EndpointAnswer {
  return { status, headers: ['Cache-Control', 'no-store', 'Pragma', 'no-cache', ...headers], body: '' };
}

/** Sends a browser elsewhere. */
export function redirectAnswer(location: string, headers: HeaderList = []): EndpointAnswer {
  return emptyAnswer(302, ['Location', location, ...headers]);
}
