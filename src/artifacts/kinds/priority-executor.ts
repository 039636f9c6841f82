import { createPriorityExecutor, synapseElement, type PriorityExecutor } from '#mediation';
import { appendChild, type SourceNode } from '#xml';
import { defineArtifact } from '../artifact.ts';

interface Definition {
  readonly name: string;
  readonly type: string | undefined;
  readonly isFixedSize: boolean;
  readonly nextQueue: string | undefined;
  readonly queues: readonly { readonly size: number | undefined; readonly priority: number }[];
  readonly threads: { readonly core: number; readonly max: number; readonly keepAlive: number | undefined } | undefined;
}

/** Threads of an executor that says nothing of them. */
const defaultThreads = { core: 20, max: 100 };

/** `<priority-executor>`: queues of messages by priority, for `<enqueue>` (runtime-core 1.1). */
export const priorityExecutor = defineArtifact<Definition, PriorityExecutor>({
  element: 'priority-executor',
  folders: ['priority-executors'],
  order: 3,
  nameOf: (node) => node.required('name'),
  parse(node) {
    node.knowOnly(['name', 'type']);
    node.knowOnlyChildren(['queues', 'threads']);
    const queues = node.child('queues');
    queues?.knowOnly(['isFixedSize', 'nextQueue']);
    if (!queues || queues.childrenNamed('queue').length === 0) {
      node.error('<priority-executor> needs <queues> with at least one <queue>', { code: 'MR_ARTIFACT_CHILD' });
    }
    const nextQueue = queues?.attribute('nextQueue');
    if (nextQueue !== undefined) {
      queues?.warn('the highest queue always comes first; the class has no effect', { attribute: 'nextQueue' });
    }
    const isFixedSize = queues?.flag('isFixedSize', true) ?? true;
    return {
      name: node.attribute('name') ?? '',
      type: node.attribute('type'),
      isFixedSize,
      nextQueue,
      queues: queues?.childrenNamed('queue').map((queue) => readQueue(queue, isFixedSize)) ?? [],
      threads: readThreads(node.child('threads')),
    };
  },
  serialize({ name, type, isFixedSize, nextQueue, queues, threads }) {
    const element = synapseElement('priority-executor', { name, type });
    const list = synapseElement('queues', { isFixedSize: isFixedSize ? undefined : false, nextQueue });
    for (const { size, priority } of queues) appendChild(list, synapseElement('queue', { size, priority }));
    appendChild(element, list);
    if (threads) {
      const { core, max, keepAlive } = threads;
      appendChild(element, synapseElement('threads', { max, core, 'keep-alive': keepAlive }));
    }
    return element;
  },
  compile: ({ queues, threads, isFixedSize }) =>
    createPriorityExecutor({
      ...(threads ?? defaultThreads),
      queues: queues.map(({ size, priority }) => ({ priority, size: isFixedSize ? size : undefined })),
    }),
});

function readQueue(node: SourceNode, isFixedSize: boolean): { size: number | undefined; priority: number } {
  node.knowOnly(['size', 'priority']);
  node.required('priority');
  if (isFixedSize) node.required('size');
  return { size: node.integer('size', 1), priority: node.integer('priority', 0) ?? 0 };
}

function readThreads(node: SourceNode | undefined): Definition['threads'] {
  if (!node) return undefined;
  node.knowOnly(['core', 'max', 'keep-alive']);
  const core = node.integer('core', 1) ?? defaultThreads.core;
  const max = node.integer('max', 1) ?? Math.max(core, defaultThreads.max);
  if (max < core) node.error(`"max" must be at least "core", ${core}; found "${max}"`, { attribute: 'max' });
  return { core, max, keepAlive: node.integer('keep-alive', 0) };
}
