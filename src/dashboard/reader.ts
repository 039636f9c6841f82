import { createConcurrencyLimiter, getLogger } from '#core';
import { messageOf, MillraceError } from '#errors';
import type { Approvals } from './approvals.ts';
import type { Connections } from './connections.ts';
import { createContents } from './contents.ts';
import { fetchArtifacts } from './fetch-artifacts.ts';
import { asRecord } from './json-shape.ts';
import type { Beat, Registry, RuntimeNode, Trust } from './registry.ts';

const log = getLogger('dashboard');

/** Takes beats, and reads from runtimes what changed. */
export interface NodeReader {
  /** Notes a beat. `isVouched` says that it proved to come from a trusted runtime. */
  beat(beat: Beat, isVouched: boolean): void;
  /** Approves a runtime and reads it. */
  approve(node: RuntimeNode, by: string): void;
  /** Reads a node now, as after something was changed on it. */
  refresh(node: RuntimeNode): Promise<void>;
}

export interface ReaderParts {
  readonly registry: Registry;
  readonly approvals: Approvals;
  readonly connections: Connections;
  readonly poolSize: number;
  readonly trustsUnknown: boolean;
}

/** Runtimes that say nothing of their changes are read again after so many milliseconds. */
const rereadAfter = 60_000;
/** A node that could not be read is tried again after so many milliseconds. */
const retryAfter = 10_000;

/** Makes a reader whose pool reads `poolSize` runtimes at once; heartbeats themselves never wait for it. */
export function createReader(parts: ReaderParts): NodeReader {
  const { registry, approvals, connections } = parts;
  const pool = createConcurrencyLimiter({ concurrency: parts.poolSize, queue: Number.MAX_SAFE_INTEGER });
  const contents = createContents();
  const reading = new Map<string, Promise<void>>();
  const tried = new Map<string, number>();

  const read = (group: string, id: string): Promise<void> => {
    const key = JSON.stringify([group, id]);
    const present = reading.get(key);
    if (present) return present;
    const work = pool.run(() => readNode(group, id)).finally(() => reading.delete(key));
    reading.set(key, work);
    return work;
  };

  const readNode = async (group: string, id: string): Promise<void> => {
    const node = registry.find(group, id);
    if (!node) return;
    tried.set(JSON.stringify([group, id]), Date.now());
    try {
      const client = await connections.client(node.managementUrl);
      const server = node.readAt === undefined ? asRecord(await client.json('server')) : node.server;
      const found = await fetchArtifacts(client, contents, node.tag);
      const change = { problem: undefined, trust: 'approved' as const, readAt: Date.now(), server };
      if (!found || sameArtifacts(node, found.artifacts)) {
        registry.update(node, { ...change, ...(found && { tag: found.tag }) });
        return;
      }
      registry.update(node, { ...change, ...found }, 'artifacts were read');
      contents.sweep(registry.nodes().map((each) => each.artifacts));
    } catch (error) {
      const trust: Trust =
        error instanceof MillraceError && error.code === 'MR_DASHBOARD_NOT_APPROVED'
          ? 'waiting'
          : error instanceof MillraceError && error.status === 409
            ? 'refused'
            : 'approved';
      connections.drop(node.managementUrl);
      const problem = messageOf(error);
      if (problem !== node.problem)
        log.warn({ group, node: id, url: node.managementUrl, problem }, 'a runtime was not read');
      registry.update(
        node,
        { problem, trust, hash: undefined, tag: undefined },
        problem === node.problem ? undefined : problem,
      );
    }
  };

  const isDue = (before: RuntimeNode | undefined, beat: Beat): boolean => {
    if (!before || before.readAt === undefined || before.problem !== undefined) {
      return Date.now() - (tried.get(JSON.stringify([beat.group, beat.node])) ?? 0) >= retryAfter;
    }
    if (beat.hash !== undefined) return beat.hash !== before.hash;
    // Asking such a runtime whether anything changed costs one short answer.
    if (before.tag !== undefined) return true;
    return beat.hasChanges || Date.now() - before.readAt >= rereadAfter;
  };

  return {
    beat(beat, isVouched) {
      const { origin } = new URL(beat.managementUrl);
      if ((isVouched || parts.trustsUnknown) && !approvals.find(origin)) {
        const by = isVouched ? 'heartbeat secret' : 'trust_unknown_nodes';
        approvals.add({ origin, fingerprint: undefined, by });
      }
      const before = registry.find(beat.group, beat.node);
      const { node, isNew } = registry.beat(beat);
      if (!approvals.find(origin)) {
        if (node.trust !== 'waiting') registry.update(node, { trust: 'waiting' });
        return;
      }
      if (!isNew && !isDue(before, beat)) return;
      registry.update(node, { hash: beat.hash, ...(node.trust === 'waiting' && { trust: 'approved' as const }) });
      void read(node.group, node.id);
    },
    approve(node, by) {
      const { origin } = new URL(node.managementUrl);
      approvals.remove(origin);
      approvals.add({ origin, fingerprint: undefined, by });
      connections.drop(node.managementUrl);
      registry.update(node, { trust: 'approved', problem: undefined }, 'was approved');
      void read(node.group, node.id);
    },
    refresh: (node) => read(node.group, node.id),
  };
}

/** Contents are kept once, so that equal ones are the same object. */
function sameArtifacts(node: RuntimeNode, artifacts: RuntimeNode['artifacts']): boolean {
  return (
    node.readAt !== undefined &&
    node.artifacts.length === artifacts.length &&
    node.artifacts.every((artifact, index) => artifact === artifacts[index])
  );
}
