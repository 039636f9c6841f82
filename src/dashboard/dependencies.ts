import { childElements, getAttribute, ownText, parseXml, type XmlElement } from '#xml';
import type { NodeArtifact } from './contents.ts';
import { asText } from './json-shape.ts';
import type { Registry, RuntimeNode } from './registry.ts';

/** That an artifact names another, and by which element. */
export interface Use {
  readonly from: string;
  readonly to: string;
  readonly by: string;
}

/** What names others where: an attribute of an element, or the text of an element. */
interface Reference {
  /** Name of the element; any when absent. */
  readonly element?: string;
  /** The attribute that holds the name; the text of the element when absent. */
  readonly attribute?: string;
  readonly kind: string;
}

/** How sources name other artifacts (mediators, endpoints, background artifacts). */
const references: readonly Reference[] = [
  { element: 'endpoint', attribute: 'key', kind: 'endpoint' },
  { element: 'endpoint', attribute: 'template', kind: 'template' },
  { element: 'target', attribute: 'endpoint', kind: 'endpoint' },
  { element: 'sequence', attribute: 'key', kind: 'sequence' },
  { element: 'call-template', attribute: 'target', kind: 'template' },
  { element: 'store', attribute: 'messageStore', kind: 'messageStore' },
  { element: 'messageProcessor', attribute: 'messageStore', kind: 'messageStore' },
  { element: 'messageStore', kind: 'messageStore' },
  { element: 'messageProcessor', attribute: 'targetEndpoint', kind: 'endpoint' },
  { element: 'dataServiceCall', attribute: 'serviceName', kind: 'dataService' },
  { element: 'carbon_datasource_name', kind: 'dataSource' },
  { element: 'dsName', kind: 'dataSource' },
  { attribute: 'key', kind: 'localEntry' },
  { attribute: 'sequence', kind: 'sequence' },
  { attribute: 'inSequence', kind: 'sequence' },
  { attribute: 'outSequence', kind: 'sequence' },
  { attribute: 'faultSequence', kind: 'sequence' },
  { attribute: 'onError', kind: 'sequence' },
  { attribute: 'onAccept', kind: 'sequence' },
  { attribute: 'onReject', kind: 'sequence' },
  { attribute: 'onCacheHit', kind: 'sequence' },
];

/** Parameters and properties that name artifacts, by a part of their own name. */
const parameters: readonly (readonly [name: RegExp, kind: string])[] = [
  [/sequence/i, 'sequence'],
  [/endpoint/i, 'endpoint'],
  [/datasource/i, 'dataSource'],
  [/message\.?store/i, 'messageStore'],
  [/proxy/i, 'proxy'],
];

const named = new WeakMap<NodeArtifact, readonly Omit<Use, 'from'>[]>();

/** What the artifacts of some nodes use of each other; what a source names but no node has is left out. */
export function dependenciesOf(nodes: readonly RuntimeNode[]): {
  readonly artifacts: readonly { readonly key: string; readonly kind: string; readonly name: string }[];
  readonly uses: readonly Use[];
} {
  const byKey = new Map(
    nodes.flatMap(({ artifacts }) => artifacts).map((artifact) => [`${artifact.kind}:${artifact.name}`, artifact]),
  );
  const uses = [...byKey].flatMap(([from, artifact]) =>
    namedBy(artifact)
      .filter(({ to }) => to !== from && byKey.has(to))
      .map((use) => ({ from, ...use })),
  );
  const artifacts = [...byKey].map(([key, { kind, name }]) => ({ key, kind, name }));
  return { artifacts, uses };
}

/** Answers `dependenciesOf` for a group; the sources are read again only after the group changed. */
export function createDependencies(registry: Registry): (group: string) => ReturnType<typeof dependenciesOf> {
  const known = new Map<string, { readonly version: number; readonly found: ReturnType<typeof dependenciesOf> }>();
  return (group) => {
    const version = registry.version(group);
    const present = known.get(group);
    if (present?.version === version) return present.found;
    const found = dependenciesOf(registry.nodes(group));
    known.set(group, { version, found });
    return found;
  };
}

/** Keys that an artifact's source names, each once. */
function namedBy(artifact: NodeArtifact): readonly Omit<Use, 'from'>[] {
  const known = named.get(artifact);
  if (known) return known;
  const found = new Map<string, string>();
  const source = asText(artifact.detail['configuration']);
  const root = source === undefined ? undefined : rootOf(source);
  if (root) collect(root, (key, by) => found.has(key) || found.set(key, by));
  const list = [...found].map(([to, by]) => ({ to, by }));
  named.set(artifact, list);
  return list;
}

function rootOf(source: string): XmlElement | undefined {
  try {
    return parseXml(source).root;
  } catch {
    // Data sources of some runtimes have a configuration that is no XML; it names nothing.
    return undefined;
  }
}

function collect(element: XmlElement, note: (key: string, by: string) => void): void {
  for (const { element: local, attribute, kind } of references) {
    if (local !== undefined && local !== element.local) continue;
    const name = attribute === undefined ? ownText(element).trim() : getAttribute(element, attribute);
    if (name !== undefined && name !== '') note(`${kind}:${name}`, element.local);
  }
  if (element.local === 'parameter' || element.local === 'property') {
    const own = getAttribute(element, 'name') ?? '';
    const value = getAttribute(element, 'value') ?? ownText(element).trim();
    for (const [name, kind] of parameters) if (name.test(own)) note(`${kind}:${value}`, element.local);
  }
  for (const child of childElements(element)) collect(child, note);
}
