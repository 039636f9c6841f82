import { networkInterfaces } from 'node:os';
import { setHeader, type HeaderList } from '#message';

/** `synapse.rest.CORSConfig.*` of the original (runtime-core 2.8). */
export interface CorsSettings {
  readonly enabled: boolean;
  readonly allowOrigins: readonly string[];
  readonly allowHeaders: string;
}

/**
 * The origin to allow: `*` if the list says so, else the request's own when it is listed, else undefined. An entry for
 * `localhost` also stands for every address of this machine with the same scheme and port.
 */
export function allowedOrigin(settings: CorsSettings, origin: string | undefined): string | undefined {
  const { allowOrigins } = settings;
  if (allowOrigins.includes('*')) return '*';
  if (origin === undefined) return undefined;
  if (allowOrigins.includes(origin)) return origin;
  const isLocal = allowOrigins.some((entry) => localForms(entry).includes(origin));
  return isLocal ? origin : undefined;
}

/**
 * Whether a page of this origin may open a WebSocket: browsers leave that to the server, and send their cookies along
 * (RFC 6455, 10.2). A client that is no browser has no origin.
 */
export function mayOpenSocket(settings: CorsSettings, origin: string | undefined): boolean {
  return !settings.enabled || origin === undefined || allowedOrigin(settings, origin) !== undefined;
}

/** Writes the CORS headers of an answer; nothing when the request's origin is not allowed. */
export function writeCorsHeaders(
  headers: HeaderList,
  settings: CorsSettings,
  request: { origin: string | undefined; methods: string },
): void {
  if (!settings.enabled || request.origin === undefined) return;
  const allowed = allowedOrigin(settings, request.origin);
  if (allowed === undefined) return;
  setHeader(headers, 'Access-Control-Allow-Origin', allowed);
  setHeader(headers, 'Access-Control-Allow-Methods', request.methods);
  if (settings.allowHeaders !== '') setHeader(headers, 'Access-Control-Allow-Headers', settings.allowHeaders);
  if (allowed !== '*') setHeader(headers, 'Vary', 'Origin');
}

function localForms(entry: string): string[] {
  const match = /^(https?:\/\/)localhost(:\d+)?$/.exec(entry);
  if (!match) return [];
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.map(({ address, family }) => {
    return `${match[1]}${family === 'IPv6' ? `[${address}]` : address}${match[2] ?? ''}`;
  });
}
