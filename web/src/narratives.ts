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
  /** The mediator in which it began; undefined where nothing says so. */
  readonly mediator: string | undefined;
}

interface Narrative extends Omit<Fault, 'node' | 'reason' | 'mediator'> {
  readonly incidents: readonly { readonly kind: string; readonly facts: Readonly<Record<string, unknown>> }[];
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
            return list.map((narrative) => ({
              ...narrative,
              node,
              reason: reasonOf(narrative),
              mediator: mediatorOf(narrative),
            }));
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

/** What went wrong first, in the runtime's words. */
function reasonOf({ incidents }: Narrative): string {
  const first = incidents[0];
  if (!first) return 'nothing was noted';
  const { facts, kind } = first;
  const said = [facts['error'], facts['reason'], facts['detail']].find(
    (value) => typeof value === 'string' && value !== '',
  );
  const code = typeof facts['code'] === 'number' ? ` (${facts['code']})` : '';
  const endpoint = typeof facts['endpoint'] === 'string' ? ` ${facts['endpoint']}` : '';
  return typeof said === 'string' ? `${said}${code}` : `${kind}${endpoint}${code}`;
}

function mediatorOf({ incidents }: Narrative): string | undefined {
  for (const { facts } of incidents) {
    if (typeof facts['mediator'] === 'string') return facts['mediator'];
  }
  return undefined;
}

export function newestFaults(faults: readonly Fault[]): readonly Fault[] {
  return faults.toSorted((left, right) => right.at - left.at);
}
