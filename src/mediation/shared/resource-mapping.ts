import { appendChild, type SourceNode, type XmlElement } from '#xml';
import type { CompileLibrary, ParseContext } from '../context.ts';
import { synapseElement } from '../reading.ts';

/** A `<resource>`: what a location inside of a stylesheet or schema stands for. */
export interface ResourceMapping {
  readonly location: string;
  readonly key: string;
}

/** A text of the registry or a local entry, and the key under which it is. */
export interface FoundResource {
  readonly key: string;
  readonly text: string;
}

/** Reads the `<resource>` children of an element. */
export function readResources(node: SourceNode, context: ParseContext): readonly ResourceMapping[] {
  return node.childrenNamed('resource').map((child) => {
    child.knowOnly(['location', 'key']);
    const key = child.required('key');
    if (key !== '') context.refer({ kind: 'resource', key, node: child, attribute: 'key' });
    return { location: child.required('location'), key };
  });
}

/** Writes them back into `element`. */
export function serializeResources(element: XmlElement, resources: readonly ResourceMapping[]): void {
  for (const { location, key } of resources) appendChild(element, synapseElement('resource', { location, key }));
}

/**
 * Makes the function that finds what a location stands for: a mapping, else the location as a key, else a key beside
 * that of the text which names it. Nothing is fetched from elsewhere.
 */
export function resourceResolver(
  library: CompileLibrary,
  resources: readonly ResourceMapping[],
): (location: string, importer: string) => FoundResource | undefined {
  const mapped = new Map(resources.map(({ location, key }) => [location, key]));
  return (location, importer) => {
    const key = mapped.get(location);
    if (key !== undefined) return find(library, key);
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(location) || location === '') return undefined;
    const sibling = importer.replace(/[^/:]*$/, location);
    return find(library, location) ?? (sibling === location ? undefined : find(library, sibling));
  };
}

function find(library: CompileLibrary, key: string): FoundResource | undefined {
  const text = library.resource(key);
  return text === undefined ? undefined : { key, text };
}
