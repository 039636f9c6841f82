import { mediation, type Config } from '#config';
import { createWorkerPool, getLogger, type WorkerPool } from '#core';
import type { ConnectionSettings } from '#mediation';
import { createHttpSender, type HttpSender, type PooledHttpSender } from '#transport';
import { readProxies } from './proxies.ts';
import { applyTls, type ServerTls } from './tls.ts';
import { readSenderOptions } from './transport-settings.ts';

/** Milliseconds after which a branch that waits for a worker is told in the log. */
const expectedWait = 10_000;

/** How many branches of splits are mediated at once, and how many wait. */
export function openBranchPool(config: Config): WorkerPool {
  const { synapseCoreThreads, synapseMaxThreads, synapseThreadsQueueLength } = mediation;
  return createWorkerPool({
    core: config.get(synapseCoreThreads),
    max: config.get(synapseMaxThreads),
    // The documented ten would refuse branches of artifacts that split into more.
    queue: config.has(synapseThreadsQueueLength) ? (config.get(synapseThreadsQueueLength) ?? -1) : -1,
    expectedWait,
    log: getLogger('mediation'),
  });
}

/** Makes senders with connection settings of their own, and closes them in the end. */
export interface SenderOpener extends AsyncDisposable {
  /** Whoever opens a sender may close it before the end. */
  open(settings: ConnectionSettings): HttpSender;
}

/** Senders with the key material of the server, for those who want other time-outs or another proxy. */
export function createSenderOpener(config: Config, tls: ServerTls): SenderOpener {
  const opened = new Set<PooledHttpSender>();
  const common = readSenderOptions(config);
  const proxies = readProxies(config);
  tls.onChange(() => {
    for (const sender of opened) void applyTls(() => sender.setTls(tls.sender()));
  });
  return {
    open({ connectTimeout, socketTimeout, proxy }) {
      const sender = createHttpSender({
        ...common,
        tls: tls.sender(),
        proxy: proxy ?? proxies,
        ...(connectTimeout === undefined ? {} : { connectTimeout }),
        ...(socketTimeout === undefined ? {} : { idleTimeout: socketTimeout }),
      });
      opened.add(sender);
      return {
        send: (request, handler) => sender.send(request, handler),
        async [Symbol.asyncDispose]() {
          opened.delete(sender);
          await sender[Symbol.asyncDispose]();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...opened].map((sender) => sender[Symbol.asyncDispose]()));
      opened.clear();
    },
  };
}
