/** The pages of the rail, each with the letter that goes there after `g`. */
export const sections = [
  { path: '/', title: 'Overview', icon: '◉', letter: 'o' },
  { path: '/traffic', title: 'Traffic', icon: '∿', letter: 't' },
  { path: '/artifacts', title: 'Artifacts', icon: '▤', letter: 'a' },
  { path: '/traces', title: 'Traces', icon: '⇢', letter: 'r' },
  { path: '/messages', title: 'Messages', icon: '✉', letter: 'm' },
  { path: '/nodes', title: 'Nodes', icon: '▣', letter: 'n' },
  { path: '/logs', title: 'Logs', icon: '≡', letter: 'l' },
  { path: '/configuration', title: 'Configuration', icon: '⚙', letter: 'c' },
  { path: '/access', title: 'Access', icon: '◇', letter: 'u' },
] as const;

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
