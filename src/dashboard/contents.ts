import { createHash } from 'node:crypto';
import type { Loose } from './json-shape.ts';

/** One artifact as a node has it. */
export interface NodeArtifact {
  readonly kind: string;
  readonly name: string;
  /** Hash of what it consists of, without its state: equal on nodes that run the same. */
  readonly hash: string;
  /** `active`, `inactive`, `faulty`, or undefined for kinds that have no state. */
  readonly state: string | undefined;
  readonly isTraced: boolean;
  readonly hasStatistics: boolean;
  /** Everything the runtime said, its source under `configuration`. */
  readonly detail: Loose;
}

/** Members that say how an artifact is doing, not what it is. */
const stateMembers = new Set([
  'tracing',
  'stats',
  'statistics',
  'isActive',
  'isRunning',
  'status',
  'state',
  'size',
  'url',
  'urlList',
  'host',
  'port',
  'eprs',
]);

/** Keeps each content once, however many nodes have it; what no node has any more is dropped by `sweep`. */
export interface Contents {
  /** @param hash what the runtime says the content's hash is; made from the content when absent */
  intern(item: {
    readonly kind: string;
    readonly name: string;
    readonly detail: Loose;
    readonly hash?: string;
  }): NodeArtifact;
  /** What a runtime has under a hash of its own, if another or it itself had it before. */
  find(hash: string): NodeArtifact | undefined;
  sweep(used: Iterable<readonly NodeArtifact[]>): void;
  readonly size: number;
}

/** Makes a cache of artifact contents, shared by all nodes. */
export function createContents(): Contents {
  const known = new Map<string, NodeArtifact>();
  return {
    get size() {
      return known.size;
    },
    find: (hash) => known.get(hash),
    intern({ kind, name, detail, hash }) {
      const content = JSON.stringify([kind, name, detail]);
      const key = hash ?? createHash('sha256').update(content).digest('base64url');
      const present = known.get(key);
      if (present) return present;
      const artifact = Object.freeze({
        kind,
        name,
        hash: contentHash(detail),
        state: stateOf(detail),
        isTraced: isOn(detail['tracing']),
        hasStatistics: isOn(detail['stats'] ?? detail['statistics']),
        detail,
      });
      known.set(key, artifact);
      return artifact;
    },
    sweep(used) {
      const kept = new Set<NodeArtifact>();
      for (const list of used) for (const artifact of list) kept.add(artifact);
      for (const [key, artifact] of known) if (!kept.has(artifact)) known.delete(key);
    },
  };
}

function contentHash(detail: Loose): string {
  const source = detail['configuration'];
  const content =
    typeof source === 'string'
      ? source
      : JSON.stringify(Object.entries(detail).filter(([key]) => !stateMembers.has(key)));
  return createHash('sha256').update(content).digest('hex').slice(0, 12);
}

function stateOf(detail: Loose): string | undefined {
  for (const member of ['isActive', 'isRunning']) {
    if (typeof detail[member] === 'boolean') return detail[member] ? 'active' : 'inactive';
  }
  const state = detail['state'] ?? detail['status'];
  if (typeof state !== 'string' || state === '') return undefined;
  const word = state.toLowerCase();
  if (word === 'enabled' || word === 'running') return 'active';
  if (word === 'disabled' || word === 'stopped') return 'inactive';
  return word;
}

function isOn(value: unknown): boolean {
  return value === 'enabled' || value === 'enable' || value === true;
}
