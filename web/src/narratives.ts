import { useListsOfNodes, type NodeName } from './lists-of-nodes.ts';

/** A message that failed. */
export interface Fault {
  readonly node: NodeName;
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
export function useNarratives(nodes: readonly NodeName[]): readonly Fault[] {
  const narratives = useListsOfNodes<Narrative>(nodes, 'narratives', 5) ?? [];
  return narratives.map(({ node, item }) => ({ ...item, node, reason: reasonOf(item), mediator: mediatorOf(item) }));
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
