import { getLogger } from '#core';
import { MillraceError } from '#errors';
import type { ArtifactPorts, PortRequest } from '#mediation';
import type { RequestHandler } from '#transport';
import type { ServerContext } from './context.ts';
import { openInboundPort, type InboundPort } from './inbound-port.ts';

const log = getLogger('server');

/** The ports of inbound endpoints. */
export interface InboundPorts extends ArtifactPorts {
  /** From now on ports are opened, each with the handler that is made for it. */
  serve(context: ServerContext, handlerFor: (request: PortRequest) => RequestHandler): void;
  /** Resolves when what was in flight on closed ports is over. */
  drained(): Promise<void>;
}

type Serve = (request: PortRequest) => Promise<InboundPort>;

/** Makes the ports; none is opened before `serve`. */
export function createInboundPorts(): InboundPorts {
  let serve: Serve | undefined;
  let drainTime = 0;
  /** Who has which port. */
  const holders = new Map<number, string>();
  const draining = new Set<Promise<void>>();

  const close = (opened: InboundPort, endpoint: string): void => {
    const drain = (async () => {
      await opened.drain(drainTime);
      await opened[Symbol.asyncDispose]();
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
        const opened = await serve(request);
        return {
          port: opened.port,
          change: (next) => opened.change(next),
          async [Symbol.asyncDispose]() {
            holders.delete(port);
            close(opened, endpoint);
          },
        };
      } catch (error) {
        holders.delete(port);
        throw error;
      }
    },
    serve(context, handlerFor) {
      drainTime = context.settings.drainTime;
      serve = (request) => openInboundPort(context, request, handlerFor);
    },
    async drained() {
      await Promise.all(draining);
    },
  };
}
