import { createHome, createMemoryLeases, type Clock, type Leases } from '#core';
import { createDataSources, type ConnectionFacts, type DataSources } from '#db';
import { createThrottles, type Throttles } from '../shared/throttle-counter.ts';
import { createBrokerStores, type BrokerStores } from '../stores/broker/broker-stores.ts';
import { createMessageStores, type MessageStores } from '../stores/message-stores.ts';

/** What artifacts remember beyond the life of the process, such as whether a message processor is active. */
export interface ArtifactStates {
  /** The state under a key such as `messageProcessor:Forwarder`; undefined when none was written. */
  read(key: string): Promise<string | undefined>;
  write(key: string, state: string): Promise<void>;
}

/** The parts of the server that artifacts work with which run by themselves. */
export interface BackgroundServices {
  /** Leases of the cluster; the database that holds them is opened when they are first asked for. */
  leases(): Promise<Leases>;
  /** The name of this process among the holders of leases. */
  readonly holder: string;
  /** Names by which artifacts may be pinned to this server. */
  readonly serverNames: readonly string[];
  readonly states: ArtifactStates;
  readonly stores: MessageStores;
  /** What throttles count. */
  readonly throttles: Throttles;
  readonly dataSources: DataSources;
  /** The message stores over brokers. */
  readonly brokers: BrokerStores;
}

/** Services of a server that is alone and forgets everything when it ends; `sources` are its data sources by name. */
export function createMemoryBackground(
  clock: Clock,
  directory: string,
  sources: ReadonlyMap<string, ConnectionFacts> = new Map(),
): BackgroundServices {
  const leases = createMemoryLeases(clock);
  const states = new Map<string, string>();
  return {
    leases: () => Promise.resolve(leases),
    holder: 'alone',
    serverNames: ['localhost'],
    states: {
      read: (key) => Promise.resolve(states.get(key)),
      async write(key, state) {
        states.set(key, state);
      },
    },
    stores: createMessageStores(),
    throttles: createThrottles(clock),
    dataSources: createDataSources(createHome(directory), sources, clock),
    brokers: createBrokerStores(createHome(directory), clock),
  };
}
