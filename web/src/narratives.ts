import { useEffect, useState } from 'react';
import { ask, nodePath, type NodeFacts } from './api.ts';
import { keepLoading } from './live.tsx';

/** A message that failed. */
export interface Fault {
  readonly node: Pick<NodeFacts, 'group' | 'id'>;
  readonly number: number;
  readonly at: number;
  readonly request: string;
  readonly status: number | undefined;
  readonly reason: string;
}

interface Narrative extends Omit<Fault, 'node' | 'reason'> {
  readonly incidents: readonly Readonly<Record<string, unknown>>[];
}

/** Failures of some nodes, kept up to date. */
export function useNarratives(nodes: readonly Pick<NodeFacts, 'group' | 'id'>[]): readonly Fault[] {
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const key = JSON.stringify(nodes.map(({ group, id }) => [group, id]));
  useEffect(() => {
    let isOver = false;
    const load = async (): Promise<void> => {
      const found = await Promise.all(
        nodes.map(async (node) => {
          try {
            const { list } = (await ask('GET', nodePath(node, 'narratives'))) as { list: readonly Narrative[] };
            return list.map((narrative) => ({ ...narrative, node, reason: reasonOf(narrative) }));
          } catch {
            // Runtimes of the original tell no such stories; the page says where the others are.
            return [];
          }
        }),
      );
      if (!isOver) setFaults(found.flat());
    };
    void load();
    const stop = keepLoading(() => void load(), 5);
    return () => {
      isOver = true;
      stop();
    };
  }, [key]);
  return faults;
}

function reasonOf({ incidents }: Narrative): string {
  const first = incidents[0] ?? {};
  const text = ['message', 'text', 'what', 'detail']
    .map((member) => first[member])
    .find((value) => typeof value === 'string');
  const mediator = typeof first['mediator'] === 'string' ? `${first['mediator']}: ` : '';
  return `${mediator}${typeof text === 'string' ? text : JSON.stringify(first)}`;
}

export function newestFaults(faults: readonly Fault[]): readonly Fault[] {
  return faults.toSorted((left, right) => right.at - left.at);
}
