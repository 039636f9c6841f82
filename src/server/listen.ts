import { MillraceError } from '#errors';
import { startHttpListener, type HttpListener, type RequestHandler } from '#transport';
import type { ServerContext } from './context.ts';
import type { ListenerSettings } from './settings.ts';

/** Opens a listener of the server and notes its address; a port that is taken is an error that says by which key. */
export async function listen(
  context: ServerContext,
  listener: ListenerSettings & { readonly name: string; readonly scheme: 'http' | 'https'; readonly key: string },
  handler: RequestHandler,
): Promise<HttpListener> {
  const { host, port, scheme, name, key } = listener;
  const { settings } = context;
  const tls = scheme === 'https' ? await context.tls() : undefined;
  try {
    const opened = await startHttpListener(
      {
        host,
        port,
        ...(tls ? { tls } : {}),
        keepAlive: settings.keepAlive,
        limits: { idleTimeout: settings.socketTimeout, maxConnections: settings.maxOpenConnections },
      },
      handler,
    );
    const isPublic = host !== '127.0.0.1' && host !== '::1' && host !== 'localhost';
    context.addresses.push({ name, url: `${scheme}://${isPublic ? 'localhost' : host}:${opened.port}`, isPublic });
    return opened;
  } catch (error) {
    const cause = error instanceof MillraceError ? error.cause : error;
    const isTaken = (cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
    const reason = isTaken ? 'is in use by another program' : 'cannot be opened';
    throw new MillraceError({
      code: 'MR_PORT_UNAVAILABLE',
      message: `Port ${port} (${name}, ${key}) ${reason}; choose another one there, or use --offset`,
      cause: error,
    });
  }
}

/** The parts that every module with listeners has: stop accepting by draining, then close. */
export function listenerModule(listeners: readonly HttpListener[]): {
  drain(milliseconds: number): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
} {
  return {
    async drain(milliseconds) {
      await Promise.all(listeners.map((listener) => listener.drain(milliseconds)));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(listeners.map((listener) => listener[Symbol.asyncDispose]()));
    },
  };
}
