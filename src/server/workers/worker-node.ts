import {
  createFaultNarratives,
  readDocument,
  writeDocument,
  type FaultNarrative,
  type MessageTrace,
  type MessageStore,
  type Place,
  type Queued,
  type StoreEntry,
  type StorePage,
  type ThrottleCounts,
} from '#mediation';
import type { CounterList, NodeChange, NodeObservations, TraceSummary } from '#management';
import type { Channel } from './channel.ts';
import type { NodeState } from './node-state.ts';

/** What a worker is told about itself when it starts. */
export interface WorkerFacts {
  readonly worker: number;
  readonly isFirst: boolean;
  /** Ports by listener that a worker has opened already. */
  readonly ports: ReadonlyMap<string, number>;
}

/** The state of the node as a worker sees it: the supervisor holds it, the channel leads there. */
export interface WorkerNode extends NodeState {
  /** Does what another worker has done already, of which nobody needs to hear again. */
  quietly(work: () => Promise<unknown>): Promise<void>;
  /** Makes a change that another process has made. */
  changed(change: NodeChange): Promise<void>;
  /** What this process alone has observed. */
  readonly own: { current: NodeObservations | undefined };
  /** Takes over what the supervisor tells of failed messages. */
  narrated(narratives: readonly FaultNarrative[]): void;
}

export function createWorkerNode(channel: Channel, { worker, isFirst, ports }: WorkerFacts): WorkerNode {
  const stores = new Map<string, MessageStore>();
  const ring = createFaultNarratives();
  const followers = new Map<NodeChange['name'], (subject: string, state: unknown) => unknown>();
  const own: WorkerNode['own'] = { current: undefined };
  let following = 0;
  const quietly = async (work: () => Promise<unknown>): Promise<void> => {
    following++;
    try {
      await work();
    } finally {
      following--;
    }
  };
  return {
    worker,
    isFirst,
    sharesPorts: true,
    stores: {
      memory(name, className) {
        const store = stores.get(name) ?? remoteStore(channel, name, className);
        stores.set(name, store);
        return store;
      },
    },
    throttles: { of: (id) => remoteCounts(channel, id) },
    narratives: { add: (narrative) => channel.post('narrate', narrative), list: (after) => ring.list(after) },
    narrated(narratives) {
      for (const narrative of narratives) ring.add(narrative);
    },
    sessions: {
      // The supervisor holds them, and counts them.
      size: 0,
      keep: (hash, session, settings) => channel.call('session.keep', hash, session, settings),
      find: (hash) => channel.call('session.find', hash),
      drop: (hash) => channel.call('session.drop', hash),
    },
    own,
    observations(mine) {
      own.current = mine;
      return {
        counters: (since) => channel.call<CounterList>('observed.counters', since),
        traces: (word) => channel.call<readonly TraceSummary[]>('observed.traces', word),
        trace: (number) => channel.call<MessageTrace | undefined>('observed.trace', number),
        clearTraces: () => channel.call('observed.clear'),
      };
    },
    captureTook: (id) => channel.post('capture.took', id),
    spread: (change) => channel.call('spread', change),
    follow: (name, work) => void followers.set(name, work),
    changed: ({ name, subject, state }) => quietly(async () => followers.get(name)?.(subject, state)),
    portOf: (listener) => ports.get(listener),
    readMetrics: () => channel.call<string>('metrics'),
    artifactsChanged() {
      if (following === 0) channel.post('artifacts');
    },
    quietly,
  };
}

/** A store in the memory of the supervisor. Of a message it keeps what a persistent store keeps. */
function remoteStore(channel: Channel, name: string, className: string): MessageStore {
  const entryOf = async ({ number, message }: Queued<string>): Promise<StoreEntry> => ({
    number,
    message: await readDocument(message),
  });
  return {
    name,
    className,
    offer: async (message) => channel.call('store.offer', name, writeDocument(message)),
    async peek(besides) {
      const found = await channel.call<Queued<string> | undefined>('store.peek', name, besides);
      return found && entryOf(found);
    },
    remove: (number) => channel.call('store.remove', name, number),
    clear: () => channel.call('store.clear', name),
    size: () => channel.call('store.size', name),
    async list(reach) {
      const { entries, ...rest } = await channel.call<StorePage<Queued<string>>>('store.list', name, reach);
      return { entries: await Promise.all(entries.map(entryOf)), ...rest };
    },
    async find(number) {
      const found = await channel.call<Queued<string> | undefined>('store.find', name, number);
      return found && entryOf(found);
    },
  };
}

function remoteCounts(channel: Channel, id: string): ThrottleCounts {
  return {
    async enter(maximum): Promise<Place> {
      const ticket = await channel.call<number | undefined>('throttle.enter', id, maximum);
      return ticket === undefined ? undefined : () => channel.post('throttle.leave', ticket);
    },
    admits: (group, limit) => channel.call('throttle.admits', id, group, limit),
  };
}
