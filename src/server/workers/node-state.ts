import { metricsText, type Clock, type Metrics } from '#core';
import type { ManagedNode, NodeObservations, SessionShelf } from '#management';
import {
  createFaultNarratives,
  createMessageStores,
  createThrottles,
  type FaultNarratives,
  type MessageStores,
  type Throttles,
} from '#mediation';
import { createSessionShelf } from './session-shelf.ts';

/** What the processes of a node have in common, as one of them sees it. */
export interface NodeState extends Omit<ManagedNode, 'observations'> {
  /** Does what happens once on a node: watching artifacts, clearing up. */
  readonly isFirst: boolean;
  /** Whether ports are shared with other processes. */
  readonly sharesPorts: boolean;
  readonly stores: MessageStores;
  readonly throttles: Throttles;
  readonly narratives: FaultNarratives;
  /** Who is signed in to the management API. */
  readonly sessions: SessionShelf & { readonly size: number };
  /** What all processes have observed, `own` being what this one has. */
  observations(own: NodeObservations): NodeObservations;
  /** A capture took a message here. */
  captureTook(id: string): void;
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
    sessions: createSessionShelf(clock),
    observations: (own) => own,
    captureTook: () => undefined,
    // There is nobody to tell, and nobody who tells.
    spread: () => Promise.resolve(),
    follow: () => undefined,
    portOf: () => undefined,
    readMetrics: metricsText,
    artifactsChanged: () => undefined,
  };
}
