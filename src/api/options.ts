import { setHeader, type HeaderList, type Message } from '#message';
import { allowedOrigin, writeCorsHeaders, type CorsSettings } from './cors.ts';
import type { CompiledResource } from './resource.ts';

/**
 * Whether the engine answers OPTIONS itself: the resource does not name the method, or `Max-Forwards` has run out. A
 * positive `Max-Forwards` is counted down for the resource (runtime-core 2.8, RFC 9110 section 7.6.2).
 */
export function isForTheEngine({ definition }: CompiledResource, message: Message): boolean {
  if (definition.methods?.includes('OPTIONS') !== true) return true;
  const forwards = Number(message.header('Max-Forwards') || Number.NaN);
  if (forwards > 0) setHeader(message.headers, 'Max-Forwards', String(forwards - 1));
  return forwards === 0;
}

/** The answer that the engine gives to OPTIONS when the resource does not handle it itself (runtime-core 2.8). */
export function answerToOptions(
  resource: CompiledResource,
  origin: string | undefined,
  cors: CorsSettings,
): { status: number; headers: HeaderList } {
  const allow = allowOf(resource);
  const headers: HeaderList = ['Allow', allow];
  if (cors.enabled && origin !== undefined && allowedOrigin(cors, origin) === undefined)
    return { status: 403, headers };
  writeCorsHeaders(headers, cors, { origin, methods: allow });
  return { status: 200, headers };
}

/** The methods of a resource for `Allow`; the original's fixed list when the resource names none. */
export function allowOf({ definition }: CompiledResource): string {
  return definition.methods?.filter((method) => method !== 'OPTIONS').join(', ') ?? 'GET, POST, PUT, DELETE';
}
