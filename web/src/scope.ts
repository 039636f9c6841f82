/** What the console looks at: a group or all, and of it some nodes or all. */
export interface Scope {
  readonly group: string | undefined;
  /** All nodes when empty. */
  readonly nodes: readonly string[];
}

/** The scope that an address names. */
export function scopeOf(search: URLSearchParams): Scope {
  return { group: search.get('group') ?? undefined, nodes: search.getAll('node') };
}

/** Whether a scope holds a node. */
export function isInScope({ group, nodes }: Scope, node: { readonly group: string; readonly id: string }): boolean {
  return (group === undefined || node.group === group) && (nodes.length === 0 || nodes.includes(node.id));
}

/** Adds a scope to the parameters of a call to the dashboard. */
export function scoped(path: string, { group, nodes }: Scope, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(more);
  if (group !== undefined) query.set('group', group);
  for (const node of nodes) query.append('node', node);
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}
