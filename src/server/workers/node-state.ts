import { metricsText, type Clock, type Metrics } from '#core';
import {
  createFaultNarratives,
  createMessageStores,
  createThrottles,
  type FaultNarratives,
  type MessageStores,
  type Throttles,
} from '#mediation';

/** What the processes of a node have in common, as one of them sees it. */
export interface NodeState {
  /** The number of this process among several; undefined when it is alone. */
  readonly worker: number | undefined;
  /** Does what happens once on a node: watching artifacts, clearing up. */
  readonly isFirst: boolean;
  /** Whether ports are shared with other processes. */
  readonly sharesPorts: boolean;
  readonly stores: MessageStores;
  readonly throttles: Throttles;
  readonly narratives: FaultNarratives;
  /** The port that a process of the node got for a listener already, such as `API HTTP`. */
  portOf(listener: string): number | undefined;
  /** All processes' metrics as text. */
  readMetrics(own: Metrics): string | Promise<string>;
  /** Artifacts were deployed here and have to be everywhere. */
  artifactsChanged(): void;
}

/** The state of a node that is one process. */
export function createSingleNode(clock: Clock): NodeState {
  return {
    worker: undefined,
    isFirst: true,
    sharesPorts: false,
    stores: createMessageStores(),
    throttles: createThrottles(clock),
    narratives: createFaultNarratives(),
    portOf: () => undefined,
    readMetrics: metricsText,
    artifactsChanged: () => undefined,
  };
}
