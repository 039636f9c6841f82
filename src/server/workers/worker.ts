import process from 'node:process';
import { getLogger, snapshotMetrics } from '#core';
import { MillraceError, toError } from '#errors';
import type { NodeChange } from '#management';
import type { FaultNarrative } from '#mediation';
import type { InitialPassword } from '../admin-account.ts';
import type { ServerAddress } from '../context.ts';
import { startServer, type RunningServer, type ServerOptions } from '../start.ts';
import { Channel, type ChannelEnd } from './channel.ts';
import { createWorkerNode, type WorkerFacts, type WorkerNode } from './worker-node.ts';

const log = getLogger('server.workers');

/** What a worker needs to start. */
export interface WorkerOrder extends WorkerFacts {
  readonly options: Omit<ServerOptions, 'prompt' | 'node'>;
  /** Whether somebody can be asked for a password. */
  readonly canPrompt: boolean;
}

/** What a worker says once it is ready. */
export interface WorkerReport {
  readonly addresses: readonly ServerAddress[];
  readonly initialPassword: InitialPassword | undefined;
  readonly initialPasswordFile: string;
  readonly drainTime: number;
}

/** Serves messages beside other processes, as the supervisor says that started this one. It ends with the supervisor. */
export function runWorker(): void {
  const { server: end, leave } = supervisorOf(process);
  let server: RunningServer | undefined;
  let node: WorkerNode | undefined;
  const stop = async (): Promise<void> => {
    const stopping = server;
    server = undefined;
    await stopping?.stop();
  };
  const channel = new Channel(end, {
    async start({ options, canPrompt, ...facts }: WorkerOrder): Promise<WorkerReport> {
      node = createWorkerNode(channel, facts);
      const prompt = (question: string): Promise<string> => channel.call('prompt', question);
      server = await startServer({ ...options, node, ...(canPrompt && { prompt }) });
      const { addresses, initialPassword, initialPasswordFile, drainTime } = server;
      return { addresses, initialPassword, initialPasswordFile, drainTime };
    },
    deploy: () => server && node?.quietly(async () => server?.deploy()),
    narrated: (narratives: readonly FaultNarrative[]) => node?.narrated(narratives),
    changed: (change: NodeChange) => node?.changed(change),
    'capture.spent': (id: string) => server?.captureSpent(id),
    'own.counters': (since: number) => node?.own.current?.counters(since),
    'own.traces': (word?: string) => node?.own.current?.traces(word),
    'own.trace': (number: number) => node?.own.current?.trace(number),
    'own.clear': () => node?.own.current?.clearTraces(),
    snapshot: () => (server ? snapshotMetrics(server.metrics) : []),
    stop,
    leave,
  });
  // A terminal tells every process; what becomes of this one is the supervisor's business.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.once('disconnect', () => {
    stop()
      .catch((error: unknown) => log.error({ err: toError(error) }, 'stopping did not go as it should'))
      .finally(() => process.exit());
  });
}

/** @throws MillraceError when this process was not started by a supervisor */
function supervisorOf(self: NodeJS.Process): { server: ChannelEnd; leave: () => void } {
  if (!self.channel) {
    throw new MillraceError({ code: 'MR_WORKER_ALONE', message: 'A worker is started by `millrace start` only' });
  }
  return {
    server: {
      send: (message, done) => self.send?.(message, undefined, undefined, done),
      on: (event: string, listener: (message: unknown) => void) => self.on(event, listener),
    },
    leave: () => self.disconnect?.(),
  };
}
