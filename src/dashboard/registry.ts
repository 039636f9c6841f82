import { systemClock, type Clock } from '#core';
import type { NodeArtifact } from './contents.ts';
import type { Loose } from './json-shape.ts';

/** What a heartbeat says (management 2.1). */
export interface Beat {
  readonly product: string;
  readonly group: string;
  readonly node: string;
  /** Seconds until the next one. */
  readonly interval: number;
  readonly managementUrl: string;
  /** Hash of everything the runtime has, where it sends one; equal hashes need no reading. */
  readonly hash?: string | undefined;
  /** True when the beat names artifacts that changed. */
  readonly hasChanges: boolean;
}

/** Why the dashboard does not sign in to a node, or that it does. */
export type Trust = 'approved' | 'waiting' | 'refused';

/** `healthy`, `late` after 1.5 intervals, `lost` after 3. */
export type NodeHealth = 'healthy' | 'late' | 'lost';

/** One runtime. */
export interface RuntimeNode {
  readonly group: string;
  readonly id: string;
  readonly product: string;
  readonly managementUrl: string;
  readonly interval: number;
  readonly since: number;
  readonly lastBeat: number;
  readonly trust: Trust;
  /** What the last reading failed with; undefined after one that did not. */
  readonly problem: string | undefined;
  /** When it was read last; undefined before that. */
  readonly readAt: number | undefined;
  readonly hash: string | undefined;
  /** Mark of the last answer about all artifacts. */
  readonly tag: string | undefined;
  readonly server: Loose;
  readonly artifacts: readonly NodeArtifact[];
}

/** Something that a page may want to know of at once. */
export interface RegistryEvent {
  readonly type: 'node' | 'artifacts';
  readonly group: string;
  readonly node: string;
  readonly what: string;
  readonly at: number;
}

/** Nodes by group, in memory: after a restart of the dashboard they register again within one interval. */
export interface Registry extends Disposable {
  /** Notes a beat; true when the node was not known, has come back, or has moved. */
  beat(beat: Beat): { readonly node: RuntimeNode; readonly isNew: boolean };
  update(place: Pick<RuntimeNode, 'group' | 'id'>, change: Partial<RuntimeNode>, what?: string): void;
  find(group: string, id: string): RuntimeNode | undefined;
  nodes(group?: string): readonly RuntimeNode[];
  groups(): readonly string[];
  health(node: RuntimeNode): NodeHealth;
  /** Removes a node from the list; it comes back with its next beat. */
  forget(group: string, id: string): boolean;
  /** Grows with every change of a group's artifacts. */
  version(group: string): number;
  /** The last events, newest last, and those to come. */
  readonly history: readonly RegistryEvent[];
  subscribe(listener: (event: RegistryEvent) => void): () => void;
}

const lateAfter = 1.5;
const lostAfter = 3;
/** Milliseconds for which a lost node stays in the list, so that its loss is seen. */
const rememberLost = 24 * 60 * 60_000;
/** Events that are kept. */
export const historyLength = 500;

/** Makes a registry without nodes; `before` are the last events of the time before. Its timers do not keep the process alive. */
export function createRegistry(clock: Clock = systemClock, before: readonly RegistryEvent[] = []): Registry {
  const groups = new Map<string, Map<string, RuntimeNode>>();
  const told = new Map<string, NodeHealth>();
  const versions = new Map<string, number>();
  const history = before.slice(-historyLength);
  const listeners = new Set<(event: RegistryEvent) => void>();

  const healthOf = (node: RuntimeNode): NodeHealth => {
    const intervals = (clock.now() - node.lastBeat) / (node.interval * 1000);
    return intervals > lostAfter ? 'lost' : intervals > lateAfter ? 'late' : 'healthy';
  };
  const emit = (type: RegistryEvent['type'], node: RuntimeNode, what: string): void => {
    const event = { type, group: node.group, node: node.id, what, at: clock.now() };
    history.push(event);
    if (history.length > historyLength) history.shift();
    for (const listener of listeners) listener(event);
  };
  const grow = (group: string): void => void versions.set(group, (versions.get(group) ?? 0) + 1);
  const keyOf = (node: RuntimeNode): string => JSON.stringify([node.group, node.id]);
  const put = (node: RuntimeNode): RuntimeNode => {
    const group = groups.get(node.group) ?? new Map<string, RuntimeNode>();
    groups.set(node.group, group.set(node.id, node));
    return node;
  };
  const remove = (node: RuntimeNode): boolean => {
    told.delete(keyOf(node));
    grow(node.group);
    const group = groups.get(node.group);
    const isRemoved = group?.delete(node.id) ?? false;
    if (group?.size === 0) groups.delete(node.group);
    return isRemoved;
  };

  /** A runtime without an identity of its own has another name after each start: its old row is taken over. */
  const predecessorOf = (beat: Beat): RuntimeNode | undefined =>
    [...(groups.get(beat.group)?.values() ?? [])].find(
      (node) => node.id !== beat.node && node.managementUrl === beat.managementUrl && healthOf(node) === 'lost',
    );

  const check = (): void => {
    for (const node of [...groups.values()].flatMap((group) => [...group.values()])) {
      const health = healthOf(node);
      if (health === told.get(keyOf(node))) continue;
      told.set(keyOf(node), health);
      if (health === 'lost') {
        // What it had is nobody's any more: its artifacts leave the lists.
        grow(node.group);
        put({ ...node, artifacts: [], hash: undefined, tag: undefined });
      }
      if (health !== 'healthy') emit('node', node, health);
    }
    for (const node of [...groups.values()].flatMap((group) => [...group.values()])) {
      if (clock.now() - node.lastBeat > rememberLost) remove(node);
    }
  };
  let stop = clock.after(1000, tick);
  function tick(): void {
    check();
    stop = clock.after(1000, tick);
  }

  return {
    history,
    beat(beat) {
      const before = groups.get(beat.group)?.get(beat.node);
      const predecessor = before ? undefined : predecessorOf(beat);
      if (predecessor) remove(predecessor);
      const hasMoved = before !== undefined && before.managementUrl !== beat.managementUrl;
      const isBack = before !== undefined && healthOf(before) === 'lost';
      const fresh = {
        group: beat.group,
        id: beat.node,
        since: clock.now(),
        trust: 'waiting',
        problem: undefined,
        readAt: undefined,
        hash: undefined,
        tag: undefined,
        server: {},
        artifacts: [],
      } as const;
      const node = put({
        ...(before && !hasMoved ? before : fresh),
        product: beat.product,
        managementUrl: beat.managementUrl,
        interval: beat.interval,
        lastBeat: clock.now(),
      });
      const isNew = !before || hasMoved || isBack;
      told.set(keyOf(node), 'healthy');
      if (isNew) emit('node', node, isBack ? 'back' : 'joined');
      return { node, isNew };
    },
    update({ group, id }, change, what) {
      const before = groups.get(group)?.get(id);
      if (!before) return;
      const node = put({ ...before, ...change });
      if (change.artifacts) grow(group);
      if (what !== undefined) emit(change.artifacts ? 'artifacts' : 'node', node, what);
    },
    find: (group, id) => groups.get(group)?.get(id),
    nodes: (group) =>
      [...groups]
        .filter(([name]) => group === undefined || name === group)
        .flatMap(([, nodes]) => [...nodes.values()])
        .toSorted((left, right) => left.group.localeCompare(right.group) || left.id.localeCompare(right.id)),
    groups: () => [...groups.keys()].toSorted(),
    health: healthOf,
    forget(group, id) {
      const node = groups.get(group)?.get(id);
      return node !== undefined && remove(node);
    },
    version: (group) => versions.get(group) ?? 0,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    [Symbol.dispose]: () => stop(),
  };
}
