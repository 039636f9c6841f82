import type { IconName } from './icons.tsx';

interface Section {
  readonly path: string;
  readonly title: string;
  readonly icon: IconName;
  readonly letter: string;
}

/** The pages of the rail, each with the letter that goes there after `g`. */
export const sections: readonly Section[] = [
  { path: '/', title: 'Overview', icon: 'overview', letter: 'o' },
  { path: '/traffic', title: 'Traffic', icon: 'traffic', letter: 't' },
  { path: '/artifacts', title: 'Artifacts', icon: 'artifacts', letter: 'a' },
  { path: '/dependencies', title: 'Dependencies', icon: 'graph', letter: 'd' },
  { path: '/traces', title: 'Traces', icon: 'traces', letter: 'r' },
  { path: '/messages', title: 'Messages', icon: 'messages', letter: 'm' },
  { path: '/nodes', title: 'Nodes', icon: 'nodes', letter: 'n' },
  { path: '/logs', title: 'Logs', icon: 'logs', letter: 'l' },
  { path: '/configuration', title: 'Configuration', icon: 'configuration', letter: 'c' },
  { path: '/access', title: 'Access', icon: 'access', letter: 'u' },
  { path: '/audit', title: 'Audit', icon: 'audit', letter: 'i' },
];

/** Kinds as the sources name them. */
export const kindTitles: Readonly<Record<string, string>> = {
  api: 'APIs',
  proxy: 'Proxy services',
  endpoint: 'Endpoints',
  sequence: 'Sequences',
  template: 'Templates',
  inboundEndpoint: 'Inbound endpoints',
  task: 'Tasks',
  messageStore: 'Message stores',
  messageProcessor: 'Message processors',
  localEntry: 'Local entries',
  dataService: 'Data services',
  dataSource: 'Data sources',
  connector: 'Connectors',
  application: 'Applications',
};

export function kindTitle(kind: string): string {
  return kindTitles[kind] ?? kind;
}
