/** One kind of artifact as the management API of a runtime lists it (management 1.5, 1.6). */
export interface ArtifactKind {
  /** As in artifact keys, such as `api:Orders`. */
  readonly kind: string;
  /** Path of the list below `/management`. */
  readonly path: string;
  /** Query parameter that asks for one of them. */
  readonly parameter: string;
  /** Member that names it; `name` when absent. */
  readonly nameMember?: string;
  /** What can be done to it. */
  readonly actions: readonly ArtifactAction[];
}

export type ArtifactAction =
  | 'activate'
  | 'deactivate'
  | 'trigger'
  | 'startTrace'
  | 'stopTrace'
  | 'startStatistics'
  | 'stopStatistics';

const observed = ['startTrace', 'stopTrace', 'startStatistics', 'stopStatistics'] as const;
const switched = ['activate', 'deactivate'] as const;

/** Archives, which have no call for one of them. */
export const applicationKind: ArtifactKind = {
  kind: 'application',
  path: 'applications',
  parameter: 'carbonAppName',
  actions: [],
};

/** Every kind, in the order of the console. */
export const artifactKinds: readonly ArtifactKind[] = [
  { kind: 'api', path: 'apis', parameter: 'apiName', actions: observed },
  { kind: 'proxy', path: 'proxy-services', parameter: 'proxyServiceName', actions: [...switched, ...observed] },
  { kind: 'endpoint', path: 'endpoints', parameter: 'endpointName', actions: [...switched, ...observed] },
  { kind: 'sequence', path: 'sequences', parameter: 'sequenceName', actions: observed },
  { kind: 'template', path: 'templates', parameter: 'name', actions: observed },
  {
    kind: 'inboundEndpoint',
    path: 'inbound-endpoints',
    parameter: 'inboundEndpointName',
    actions: [...switched, ...observed],
  },
  { kind: 'task', path: 'tasks', parameter: 'taskName', actions: [...switched, 'trigger'] },
  { kind: 'messageStore', path: 'message-stores', parameter: 'name', actions: [] },
  { kind: 'messageProcessor', path: 'message-processors', parameter: 'name', actions: switched },
  { kind: 'localEntry', path: 'local-entries', parameter: 'name', actions: [] },
  {
    kind: 'dataService',
    path: 'data-services',
    parameter: 'dataServiceName',
    nameMember: 'serviceName',
    actions: [],
  },
  { kind: 'dataSource', path: 'data-sources', parameter: 'name', actions: [] },
  { kind: 'connector', path: 'connectors', parameter: 'connectorName', actions: switched },
  applicationKind,
];

/** What the bulk call of a runtime does not have: its archives, connectors, and the data sources of its configuration. */
export const besidesBulk: readonly ArtifactKind[] = artifactKinds.filter(({ kind }) =>
  ['dataSource', 'connector', 'application'].includes(kind),
);

const byKind = new Map(artifactKinds.map((entry) => [entry.kind, entry]));

/** The kind of that name, or undefined. */
export function findKind(kind: string): ArtifactKind | undefined {
  return byKind.get(kind);
}

/** The body that asks a runtime's management API for an action (management 1.4, 1.7). */
export function actionBody(kind: ArtifactKind, name: string, action: ArtifactAction): Readonly<Record<string, string>> {
  const own = kind.kind === 'template' ? { name, type: 'sequence' } : { name };
  switch (action) {
    case 'activate':
      return { ...own, status: kind.kind === 'connector' ? 'enabled' : 'active' };
    case 'deactivate':
      return { ...own, status: kind.kind === 'connector' ? 'disabled' : 'inactive' };
    case 'trigger':
      return { ...own, status: 'trigger' };
    case 'startTrace':
      return { ...own, trace: 'enable' };
    case 'stopTrace':
      return { ...own, trace: 'disable' };
    case 'startStatistics':
      return { ...own, statistics: 'enable' };
    case 'stopStatistics':
      return { ...own, statistics: 'disable' };
  }
}
