import { isDeepStrictEqual } from 'node:util';
import { mediation } from '#config';
import { getLogger } from '#core';
import type { RevocationCheck } from '#keystore';
import type { PortRequest, PortTls } from '#mediation';
import type { HttpListener, RequestHandler } from '#transport';
import type { ServerContext } from './context.ts';
import { readInboundTls, type InboundTls } from './inbound-tls.ts';
import { openListener } from './listen.ts';
import { applyTls } from './tls.ts';
import { readApiListenerOptions } from './transport-settings.ts';
import { watchFiles } from './watch-files.ts';

const log = getLogger('server');
const minuteMilliseconds = 60_000;

/** A port that is open for an inbound endpoint. */
export interface InboundPort extends AsyncDisposable {
  readonly port: number;
  /** Uses other key material and other workers for what comes from now on; open connections stay. */
  change(request: PortRequest): Promise<void>;
  /** Stops accepting, and resolves when what is in flight is over or so many milliseconds have passed. */
  drain(milliseconds: number): Promise<void>;
}

/**
 * Opens the port of an endpoint on the addresses of the API listeners.
 *
 * @param handlerFor makes what serves requests, with the workers that the endpoint has
 * @throws MillraceError `MR_PORT_UNAVAILABLE`, and those of key material that cannot be read
 */
export async function openInboundPort(
  context: ServerContext,
  first: PortRequest,
  handlerFor: (request: PortRequest) => RequestHandler,
): Promise<InboundPort> {
  const { settings, config, addresses, health } = context;
  const { endpoint, port, takesOffset = config.get(mediation.inboundPortOffsetEnable) } = first;
  const scheme = first.tls ? 'https' : 'http';
  const name = `inbound endpoint ${endpoint}`;
  let current = first;
  let handler = handlerFor(first);
  const tls = first.tls && (await openPortTls(context, first.tls));
  const listener = await openListener(
    context,
    {
      ...(tls ? settings.apiHttps : settings.apiHttp),
      enabled: true,
      ...(first.host === undefined ? {} : { hosts: [first.host] }),
      port: port === 0 ? 0 : port + (takesOffset ? settings.offset : 0),
      name,
      scheme,
      key: first.parameter ?? 'inbound.http.port',
      remedy: 'choose another one there',
      options: (configuration) => readApiListenerOptions(configuration, scheme),
      material: tls?.first.material,
      // Beside other processes the port may be theirs already.
      isNew: false,
    },
    (request, responder) => handler(request, responder),
  ).catch((error: unknown) => {
    tls?.[Symbol.dispose]();
    throw error;
  });
  tls?.serve(listener);
  const { address } = listener;
  // The first lines of a start name every address.
  if (health.phase !== 'starting') log.info({ url: address.url, inbound: endpoint }, `${name} is open`);
  return {
    port: listener.port,
    async change(next) {
      const before = current;
      current = next;
      if (!isDeepStrictEqual(before.workers, next.workers)) handler = handlerFor({ ...next, clients: first.clients });
      if (tls && next.tls && !isDeepStrictEqual(before.tls, next.tls)) await tls.change(next.tls);
    },
    drain(milliseconds) {
      tls?.[Symbol.dispose]();
      const index = addresses.indexOf(address);
      if (index >= 0) addresses.splice(index, 1);
      return listener.drain(milliseconds);
    },
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
}

/** Key material of an open port, read again when its files or those of the server change, or the endpoint names others. */
interface PortTlsHolder extends Disposable {
  readonly first: InboundTls;
  /** Has changes applied to a listener from now on. */
  serve(listener: HttpListener): void;
  change(next: PortTls): Promise<void>;
}

async function openPortTls(context: ServerContext, wanted: PortTls): Promise<PortTlsHolder> {
  let current = wanted;
  let listener: HttpListener | undefined;
  let watcher: Disposable | undefined;
  let isClosed = false;
  let check = checkOf(context, wanted);
  const read = (tls: PortTls): Promise<InboundTls> => readInboundTls(context, tls, check?.check);
  const watch = (files: readonly string[]): void => {
    watcher?.[Symbol.dispose]();
    watcher = files.length > 0 && !isClosed ? watchFiles(files, () => void applyTls(apply)) : undefined;
  };
  const apply = async (): Promise<void> => {
    const tls = current;
    const { material, files } = await read(tls);
    // Of two changes that overtake each other the last one counts.
    if (tls !== current || isClosed) return;
    listener?.setTls?.(material);
    watch(files);
  };
  const first = await read(wanted).catch((error: unknown) => {
    check?.[Symbol.dispose]();
    throw error;
  });
  const common = context.tls.onChange(() => void applyTls(apply));
  return {
    first,
    serve(opened) {
      listener = opened;
      watch(first.files);
    },
    async change(next) {
      const before = current;
      current = next;
      if (!isDeepStrictEqual(before.revocation, next.revocation)) {
        check?.[Symbol.dispose]();
        check = checkOf(context, next);
      }
      await applyTls(apply);
    },
    [Symbol.dispose]() {
      isClosed = true;
      common[Symbol.dispose]();
      watcher?.[Symbol.dispose]();
      check?.[Symbol.dispose]();
    },
  };
}

function checkOf({ revocation }: ServerContext, { revocation: own }: PortTls): RevocationCheck | undefined {
  if (!own) return undefined;
  const { cacheSize, cacheDelay } = own;
  return revocation.create({
    cacheSize,
    cleanUpTime: cacheDelay === undefined ? undefined : cacheDelay * minuteMilliseconds,
  });
}
