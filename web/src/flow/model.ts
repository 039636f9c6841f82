/** One element of a flow: a mediator, with what stands inside it as branches. */
export interface Station {
  /** The mediator's identity, such as `api:Orders/resource:0/in/2/then/0`. */
  readonly id: string;
  readonly element: string;
  /** The attribute that says most about it. */
  readonly label: string;
  readonly line: number;
  readonly lastLine: number;
  readonly attributes: readonly (readonly [string, string])[];
  readonly branches: readonly Branch[];
  /** The back end that it hands the message to, by the endpoint's name or address; undefined for the others. */
  readonly backEnd: string | undefined;
}

export interface Branch {
  readonly title: string;
  readonly stations: readonly Station[];
}

/** A way of messages through an artifact: the request's, the answer's and the faults'. */
export interface Way {
  readonly title: string;
  readonly request: readonly Station[];
  readonly response: readonly Station[];
  readonly fault: readonly Station[];
}

/** Children that are branches, by the mediator's element; the identity names them by their own. */
const branching: Readonly<Record<string, readonly string[]>> = {
  filter: ['then', 'else'],
  switch: ['case', 'default'],
  clone: ['target'],
  iterate: ['target'],
  aggregate: ['onComplete'],
  cache: ['onCacheHit'],
  validate: ['on-fail'],
  throttle: ['onAccept', 'onReject'],
  foreach: ['sequence'],
  'scatter-gather': ['sequence'],
};
const backEnds = new Set(['send', 'call', 'callout', 'endpoint', 'http']);
const telling = [
  'description',
  'name',
  'key',
  'source',
  'xpath',
  'regex',
  'expression',
  'level',
  'media-type',
  'target',
];

/** Reads the ways of an artifact from its source; none for kinds without a flow, or a source that is no XML. */
export function waysOf(artifactKey: string, source: string): readonly Way[] {
  const document = new DOMParser().parseFromString(source, 'application/xml');
  const root = document.documentElement;
  if (document.querySelector('parsererror')) return [];
  const lines = createLineFinder(source);
  const read = (element: Element | undefined, id: string): Station[] => (element ? stationsOf(element, id, lines) : []);
  switch (root.localName) {
    case 'api':
      return childrenOf(root, 'resource').map((resource, index) => {
        const id = `${artifactKey}/resource:${index}`;
        const path = resource.getAttribute('uri-template') ?? resource.getAttribute('url-mapping') ?? '/';
        return {
          title: `${resource.getAttribute('methods') ?? 'GET'} ${path}`,
          request: read(childrenOf(resource, 'inSequence')[0], `${id}/in`),
          response: read(childrenOf(resource, 'outSequence')[0], `${id}/out`),
          fault: read(childrenOf(resource, 'faultSequence')[0], `${id}/fault`),
        };
      });
    case 'proxy': {
      const target = childrenOf(root, 'target')[0] ?? root;
      return [
        {
          title: 'target',
          request: [
            ...read(childrenOf(target, 'inSequence')[0], `${artifactKey}/in`),
            ...childrenOf(target, 'endpoint').map((endpoint) => stationOf(endpoint, `${artifactKey}/endpoint`, lines)),
          ],
          response: read(childrenOf(target, 'outSequence')[0], `${artifactKey}/out`),
          fault: read(childrenOf(target, 'faultSequence')[0], `${artifactKey}/fault`),
        },
      ];
    }
    case 'sequence':
      return [{ title: 'sequence', request: read(root, artifactKey), response: [], fault: [] }];
    case 'template': {
      const sequence = childrenOf(root, 'sequence')[0];
      return sequence ? [{ title: 'template', request: read(sequence, artifactKey), response: [], fault: [] }] : [];
    }
    default:
      return [];
  }
}

/** Every station of a way in reading order, for outlines and the keyboard. */
export function allStations(stations: readonly Station[]): readonly Station[] {
  return stations.flatMap((station) => [
    station,
    ...station.branches.flatMap((branch) => allStations(branch.stations)),
  ]);
}

function childrenOf(element: Element, name: string): Element[] {
  return [...element.children].filter(({ localName }) => localName === name);
}

function stationsOf(parent: Element, id: string, lines: LineFinder): Station[] {
  return [...parent.children].map((element, index) => stationOf(element, `${id}/${index}`, lines));
}

function stationOf(element: Element, id: string, lines: LineFinder): Station {
  const names = branching[element.localName] ?? [];
  const [line, lastLine] = lines.next(element);
  const counts = new Map<string, number>();
  const branches = [...element.children].flatMap((child): Branch[] => {
    const name = child.localName;
    if (!names.includes(name)) return [];
    const number = counts.get(name) ?? 0;
    counts.set(name, number + 1);
    const isNumbered = name === 'case' || name === 'target';
    const inner = name === 'target' ? (childrenOf(child, 'sequence')[0] ?? child) : child;
    const condition = child.getAttribute('regex') ?? child.getAttribute('sequence') ?? '';
    const stations = stationsOf(inner, `${id}/${name}${isNumbered ? `:${number}` : ''}`, lines);
    return [{ title: `${name} ${condition}`.trim(), stations }];
  });
  // A filter without `then` has its mediators directly inside.
  const isPlainFilter = element.localName === 'filter' && branches.length === 0 && element.children.length > 0;
  return {
    id,
    element: element.localName,
    label: labelOf(element),
    line,
    lastLine,
    attributes: [...element.attributes].map(({ name, value }) => [name, value] as const),
    branches: isPlainFilter ? [{ title: 'then', stations: stationsOf(element, `${id}/then`, lines) }] : branches,
    backEnd: backEnds.has(element.localName) ? backEndOf(element) : undefined,
  };
}

/** What an element sends to; undefined for a `send` that answers the client, as one without an endpoint does behind it. */
function backEndOf(element: Element): string | undefined {
  const endpoint = element.localName === 'endpoint' ? element : childrenOf(element, 'endpoint')[0];
  if (!endpoint) return element.localName === 'send' && element.closest('outSequence') ? undefined : 'default';
  const kind = endpoint.firstElementChild;
  const address = kind?.getAttribute('uri-template') ?? kind?.getAttribute('uri');
  return endpoint.getAttribute('key') ?? endpoint.getAttribute('name') ?? address ?? kind?.localName ?? 'default';
}

function labelOf(element: Element): string {
  for (const name of telling) {
    const value = element.getAttribute(name);
    if (value !== null && value !== '') return value;
  }
  const endpoint = element.localName === 'endpoint' ? element : childrenOf(element, 'endpoint')[0];
  return endpoint?.getAttribute('key') ?? endpoint?.firstElementChild?.getAttribute('uri-template') ?? '';
}

interface LineFinder {
  /** First and last line of an element. */
  next(element: Element): readonly [number, number];
}

/** The browser's parser keeps no lines: the nth element of a name is the nth opening tag of that name in the source. */
function createLineFinder(source: string): LineFinder {
  const bare = source.replaceAll(/<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>/g, (part) => part.replaceAll(/[^\n]/g, ' '));
  const starts = new Map<string, number[]>();
  for (const match of bare.matchAll(/<([\w.:-]+)/g)) {
    const name = match[1] ?? '';
    starts.set(name, [...(starts.get(name) ?? []), match.index]);
  }
  const lineAt = (offset: number): number => source.slice(0, offset).split('\n').length;
  return {
    next(element) {
      const all = element.ownerDocument.getElementsByTagName(element.nodeName);
      const offset = starts.get(element.nodeName)?.[[...all].indexOf(element)];
      if (offset === undefined) return [1, 1];
      const first = lineAt(offset);
      const height = (element.outerHTML.match(/\n/g) ?? []).length;
      return [first, first + height];
    },
  };
}
