import { mediation } from '#config';
import { getLogger } from '#core';
import { MillraceError } from '#errors';
import type { ArtifactPorts, PortRequest } from '#mediation';
import type { HttpListener, RequestHandler } from '#transport';
import type { ServerContext } from './context.ts';
import { readInboundTls } from './inbound-tls.ts';
import { openListener } from './listen.ts';
import { applyTls } from './tls.ts';
import { readApiListenerOptions } from './transport-settings.ts';
import { watchFiles } from './watch-files.ts';

const log = getLogger('server');

/** The ports of inbound endpoints. */
export interface InboundPorts extends ArtifactPorts {
  /** From now on ports are opened, each with the handler that is made for it. */
  serve(context: ServerContext, handlerFor: (request: PortRequest) => RequestHandler): void;
  /** Resolves when what was in flight on closed ports is over. */
  drained(): Promise<void>;
}

type Serve = (request: PortRequest) => Promise<HttpListener>;

/** Makes the ports; none is opened before `serve`. */
export function createInboundPorts(): InboundPorts {
  let serve: Serve | undefined;
  let drainTime = 0;
  /** Who has which port. */
  const holders = new Map<number, string>();
  const draining = new Set<Promise<void>>();

  const close = (listener: HttpListener, endpoint: string): void => {
    const drain = (async () => {
      await listener.drain(drainTime);
      await listener[Symbol.asyncDispose]();
    })()
      .catch((error: unknown) => log.error({ err: error, inbound: endpoint }, 'a port was not closed cleanly'))
      .finally(() => draining.delete(drain));
    draining.add(drain);
  };

  return {
    async open(request) {
      if (!serve) throw new MillraceError({ code: 'MR_INBOUND_PORT', message: 'This server opens no ports' });
      const { endpoint, port } = request;
      const holder = holders.get(port);
      if (holder !== undefined) {
        const message = `Port ${port} of the inbound endpoint ${endpoint} is occupied already by the inbound endpoint ${holder}`;
        throw new MillraceError({ code: 'MR_INBOUND_PORT_OCCUPIED', message });
      }
      if (port !== 0) holders.set(port, endpoint);
      try {
        const listener = await serve(request);
        return {
          port: listener.port,
          async [Symbol.asyncDispose]() {
            holders.delete(port);
            close(listener, endpoint);
          },
        };
      } catch (error) {
        holders.delete(port);
        throw error;
      }
    },
    serve(context, handlerFor) {
      drainTime = context.settings.drainTime;
      serve = (request) => openPort(context, request, handlerFor(request));
    },
    async drained() {
      await Promise.all(draining);
    },
  };
}

/** Opens the port of an endpoint on the addresses of the API listeners. */
async function openPort(context: ServerContext, request: PortRequest, handler: RequestHandler): Promise<HttpListener> {
  const { settings, config, addresses } = context;
  const { endpoint, port, takesOffset = config.get(mediation.inboundPortOffsetEnable), tls, host } = request;
  const scheme = tls ? 'https' : 'http';
  const name = `inbound endpoint ${endpoint}`;
  const readMaterial = tls && (() => readInboundTls(context, tls));
  const listener = await openListener(
    context,
    {
      ...(tls ? settings.apiHttps : settings.apiHttp),
      enabled: true,
      ...(host === undefined ? {} : { hosts: [host] }),
      port: port === 0 ? 0 : port + (takesOffset ? settings.offset : 0),
      name,
      scheme,
      key: request.parameter ?? 'inbound.http.port',
      remedy: 'choose another one there',
      options: (current) => readApiListenerOptions(current, scheme),
      material: (await readMaterial?.())?.material,
      // Beside other processes the port may be theirs already.
      isNew: false,
    },
    handler,
  );
  const address = addresses.at(-1);
  log.info({ url: address?.url, inbound: endpoint }, `${name} is open`);
  const files = (await readMaterial?.())?.files ?? [];
  const apply = async (): Promise<void> => {
    const read = await readMaterial?.();
    if (read) listener.setTls?.(read.material);
  };
  const watcher = files.length > 0 ? watchFiles(files, () => void applyTls(apply)) : undefined;
  const forget = (): void => {
    watcher?.[Symbol.dispose]();
    const index = address ? addresses.indexOf(address) : -1;
    if (index >= 0) addresses.splice(index, 1);
  };
  return {
    scheme,
    port: listener.port,
    host: listener.host,
    drain(milliseconds) {
      forget();
      return listener.drain(milliseconds);
    },
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}
