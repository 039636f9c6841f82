import { millrace, type Config } from '#config';
import { MillraceError } from '#errors';
import { startHttpListener, type HttpListener, type ListenerTls, type RequestHandler } from '#transport';
import { resolveCaller } from './caller-address.ts';
import type { ServerAddress, ServerContext } from './context.ts';
import type { ListenerSettings } from './settings.ts';
import { applyTls, type TlsUse } from './tls.ts';
import { readListenerOptions, type ListenerOptions } from './transport-settings.ts';

/** A listener of the server as a module describes it. */
export interface ListenerRequest extends ListenerSettings {
  /** Its name in the log. */
  readonly name: string;
  readonly scheme: 'http' | 'https';
  /** The key that moves its port. */
  readonly key: string;
  /** Whose key material it shows; that of the server when absent. */
  readonly tls?: TlsUse;
  /** What differs from the other listeners, read again when the configuration is. */
  readonly options?: (config: Config) => ListenerOptions;
  /** What to do when the port cannot be had; a port of the configuration can be moved by its offset. */
  readonly remedy?: string;
}

/**
 * Opens a listener of the server on each of its addresses and notes the first one. Its key material is read again when
 * the files change.
 *
 * @throws MillraceError `MR_PORT_UNAVAILABLE` that says by which key another port is chosen
 */
export async function listen(
  context: ServerContext,
  listener: ListenerRequest,
  handler: RequestHandler,
): Promise<HttpListener> {
  const { scheme, tls: use = 'server' } = listener;
  const tls = scheme === 'https' ? await context.tls.listener(use) : undefined;
  const { isNew, port } = placeOf(context, listener);
  const opened = await openListener(context, { ...listener, port, isNew, material: tls }, handler);
  if (tls) context.tls.onChange(() => void applyTls(async () => opened.setTls?.(await context.tls.listener(use))));
  return opened;
}

/** A process beside others takes the port that the first of them got. */
function placeOf({ node }: ServerContext, { name, port }: ListenerRequest): { isNew: boolean; port: number } {
  const known = node.portOf(name);
  return { isNew: known === undefined, port: known ?? port };
}

/** A listener to open, with everything that the server knows of it. */
export interface ListenerToOpen extends ListenerRequest {
  /** Makes it an HTTPS listener. */
  readonly material: ListenerTls | undefined;
  /** True to look whether another program has the port, where the system would let processes share it. */
  readonly isNew: boolean;
}

/** A listener that is open. */
export interface OpenListener extends HttpListener {
  /** As it stands among the addresses of the server. */
  readonly address: ServerAddress;
}

/**
 * Opens a listener on each of its addresses and notes the first one among those of the server.
 *
 * @throws MillraceError `MR_PORT_UNAVAILABLE`
 */
export async function openListener(
  context: ServerContext,
  listener: ListenerToOpen,
  handler: RequestHandler,
): Promise<OpenListener> {
  const { hosts, scheme, name, port, isNew, material: tls } = listener;
  const { node } = context;
  const handle = resolveCaller(handler, context.config.get(millrace.trustedProxies));
  const opened: HttpListener[] = [];
  for (const host of hosts) {
    try {
      // A port that the system chose for the first address counts for the others.
      const place = { host, port: opened[0]?.port ?? port };
      // The system would let any program of the same user share a port: the first process looks whether it is free.
      if (node.sharesPorts && isNew) await (await startHttpListener(place, handle))[Symbol.asyncDispose]();
      const own = { ...(tls ? { tls } : {}), reusePort: node.sharesPorts };
      const options = { ...optionsOf(context.config, listener), ...own };
      opened.push(await startHttpListener({ ...place, ...options }, handle));
    } catch (error) {
      await Promise.all(opened.map((other) => other[Symbol.asyncDispose]()));
      throw portError(listener, error);
    }
  }
  const [first] = opened;
  if (!first) throw portError(listener, new Error('there is no address to listen on'));
  const isPublic = hosts.some((host) => host !== '127.0.0.1' && host !== '::1' && host !== 'localhost');
  const shown = hosts[0] === '0.0.0.0' || hosts[0] === '::' ? 'localhost' : (hosts[0] ?? 'localhost');
  const host = shown.includes(':') ? `[${shown}]` : shown;
  const address = { name, port: first.port, url: `${scheme}://${host}:${first.port}`, isPublic };
  context.addresses.push(address);
  const reloading = context.reloader.onReload((config) => {
    for (const each of opened) each.setOptions?.(optionsOf(config, listener));
  });
  const all = listenerModule(opened);
  return {
    scheme,
    port: first.port,
    host: first.host,
    address,
    setTls(material) {
      for (const each of opened) each.setTls?.(material);
    },
    drain: (milliseconds) => all.drain(milliseconds),
    async [Symbol.asyncDispose]() {
      reloading[Symbol.dispose]();
      await all[Symbol.asyncDispose]();
    },
  };
}

function optionsOf(config: Config, { options }: ListenerRequest): ListenerOptions {
  return { ...readListenerOptions(config), ...options?.(config) };
}

const offsetRemedy = 'choose another one there, or use --offset';

function portError({ port, name, key, remedy = offsetRemedy }: ListenerRequest, error: unknown): MillraceError {
  const cause = error instanceof MillraceError ? error.cause : error;
  const isTaken = (cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
  const reason = isTaken ? 'is in use by another program' : 'cannot be opened';
  return new MillraceError({
    code: 'MR_PORT_UNAVAILABLE',
    message: `Port ${port} (${name}, ${key}) ${reason}; ${remedy}`,
    cause: error,
  });
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
