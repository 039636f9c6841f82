import type { DeployedArtifact } from '#artifacts';
import { masked, maskText } from '#mediation';
import { childElements, firstChild, getAttribute, ownText, serializeXml, type XmlElement } from '#xml';
import type { ManagedRuntime } from './runtime.ts';

/** An artifact with what every resource says about it. */
export interface ArtifactFacts {
  readonly deployed: DeployedArtifact;
  readonly key: string;
  readonly name: string;
  /** The definition as it is written. */
  readonly xml: XmlElement;
  /** `enabled` or `disabled`. */
  readonly stats: string;
  readonly tracing: string;
  /** The definition as text, without secrets. */
  readonly configuration: string;
  /** Path of the archive that brought it. */
  readonly application: string | undefined;
}

const xmlOf = new WeakMap<object, XmlElement>();

/** Describes a deployed artifact. */
export function factsOf(runtime: ManagedRuntime, deployed: DeployedArtifact): ArtifactFacts {
  const { artifact, file } = deployed;
  const { statistics, trace } = runtime.observer.stateOf(artifact);
  const xml = definitionOf(deployed);
  const archive = file.lastIndexOf('!/');
  return {
    deployed,
    key: artifact.key,
    name: artifact.name,
    xml,
    stats: enabled(statistics),
    tracing: enabled(trace),
    get configuration() {
      return maskText(serializeXml(xml));
    },
    application: archive < 0 ? undefined : file.slice(0, archive),
  };
}

function definitionOf({ artifact }: DeployedArtifact): XmlElement {
  const known = xmlOf.get(artifact) ?? artifact.serialize();
  xmlOf.set(artifact, known);
  return known;
}

export function enabled(isOn: boolean): string {
  return isOn ? 'enabled' : 'disabled';
}

/** An attribute; the empty text when it is not there. */
export function textOf(element: XmlElement | undefined, name: string): string {
  return (element && getAttribute(element, name)) ?? '';
}

/** The `<parameter>` or `<property>` children by name, secrets masked. */
export function namedValues(element: XmlElement, local: string): Record<string, string> {
  return Object.fromEntries(
    childElements(element)
      .filter((child) => child.local === local)
      .map((child) => {
        const name = textOf(child, 'name');
        const value = getAttribute(child, 'value') ?? ownText(child).trim();
        return [name, /password|secret/i.test(name) ? masked : value];
      }),
  );
}

/** The first of the named children that is there. */
export function childOf(element: XmlElement, ...names: readonly string[]): XmlElement | undefined {
  for (const name of names) {
    const child = firstChild(element, name);
    if (child) return child;
  }
  return undefined;
}

/** The addresses of a path on every message port, HTTP first. */
export function addressesOf(runtime: ManagedRuntime, path: string): string[] {
  return runtime
    .addresses()
    .toSorted((left, right) => (left.scheme < right.scheme ? -1 : 1))
    .map(({ scheme, host, port }) => `${scheme}://${host}:${port}${path}`);
}
