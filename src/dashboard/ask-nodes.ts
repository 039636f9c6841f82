import { createConcurrencyLimiter } from '#core';
import { messageOf } from '#errors';
import type { Connections } from './connections.ts';
import { jsonOf } from './http-caller.ts';
import { asRecord, type Loose } from './json-shape.ts';
import { failureOf } from './live-operations.ts';
import type { Registry, RuntimeNode } from './registry.ts';

/** A runtime that did not answer, and why. */
export interface SilentNode {
  readonly group: string;
  readonly node: string;
  readonly reason: string;
}

export interface NodeAnswers<Value> {
  readonly answers: readonly Value[];
  readonly silent: readonly SilentNode[];
}

/** Asks several runtimes the same at once, a pool's size of them at the same time. */
export interface NodesAsker {
  /** @param read what counts of an answer; runtimes that do not have the path, as those of the original, say nothing */
  ask<Value>(
    nodes: readonly RuntimeNode[],
    path: string,
    read: (body: Loose, node: RuntimeNode) => Value,
  ): Promise<NodeAnswers<Value>>;
}

export function createNodesAsker(parts: { readonly connections: Connections; readonly poolSize: number }): NodesAsker {
  const pool = createConcurrencyLimiter({ concurrency: parts.poolSize, queue: Number.MAX_SAFE_INTEGER });
  const bodyOf = async (node: RuntimeNode, path: string): Promise<Loose | undefined> => {
    const client = await parts.connections.client(node.managementUrl);
    const answer = await client.call(path);
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw failureOf(answer.status, jsonOf(answer));
    return asRecord(jsonOf(answer));
  };
  return {
    async ask(nodes, path, read) {
      const silent: SilentNode[] = [];
      const answers = await Promise.all(
        nodes.map((node) =>
          pool.run(async () => {
            try {
              const body = await bodyOf(node, path);
              return body === undefined ? [] : [read(body, node)];
            } catch (error) {
              silent.push({ group: node.group, node: node.id, reason: messageOf(error) });
              return [];
            }
          }),
        ),
      );
      return { answers: answers.flat(), silent };
    },
  };
}

/** What a list is asked of: a group, some of its nodes, or all. */
export interface NodeScope {
  readonly group?: string | undefined;
  readonly node?: string | readonly string[] | undefined;
}

/** The names of the nodes that a query names; undefined when it names none. */
export function nodeNames({ node }: NodeScope): readonly string[] | undefined {
  return node === undefined ? undefined : [node].flat();
}

/** The runtimes of a scope that can be asked. */
export function askableNodes(registry: Registry, scope: NodeScope): readonly RuntimeNode[] {
  const names = nodeNames(scope);
  return registry
    .nodes(scope.group)
    .filter((node) => node.trust === 'approved' && registry.health(node) !== 'lost')
    .filter(({ id }) => names === undefined || names.includes(id));
}
