import { childElements, cloneNode, getAttribute, type XmlElement } from '#xml';
import { schemaNamespace, wsdl11, wsdl20 } from './names.ts';

/** What an importing document asks for: another description, or a schema. */
export type PartKind = 'wsdl' | 'xsd';

/** One document of a description. */
export interface WsdlDocument {
  readonly root: XmlElement;
  /** The imported documents that are served with it: location as written → name below the service. */
  readonly links: ReadonlyMap<string, string>;
}

/** A description with everything that it imports and that could be read. */
export interface WsdlDocuments {
  readonly main: WsdlDocument;
  readonly parts: ReadonlyMap<string, WsdlDocument & { readonly kind: PartKind }>;
  /** Locations that nothing was found at; they stay as they are. */
  readonly unresolved: readonly string[];
}

/** Finds an imported document; `base` says where the importing one came from. */
export type ReadImport = (
  location: string,
  base: string | undefined,
) => { readonly root: XmlElement; readonly base: string | undefined } | undefined;

/** Most documents that one description may consist of. */
const mostParts = 256;

/** Reads a description and, from there, everything that it imports, each document once. */
export function readDocuments(root: XmlElement, base: string | undefined, read: ReadImport): WsdlDocuments {
  const parts = new Map<string, WsdlDocument & { kind: PartKind }>();
  const names = new Map<string, string>();
  const unresolved: string[] = [];

  const follow = (document: XmlElement, from: string | undefined): ReadonlyMap<string, string> => {
    const links = new Map<string, string>();
    for (const { element, attribute, kind } of importsOf(document)) {
      const location = getAttribute(element, attribute) ?? '';
      if (location === '' || links.has(location)) continue;
      const found = read(location, from);
      if (!found) {
        unresolved.push(location);
        continue;
      }
      const identity = found.base ?? location;
      const known = names.get(identity);
      const name = known ?? freeName(location, parts);
      links.set(location, name);
      if (known !== undefined) continue;
      if (parts.size >= mostParts) throw new Error(`the description consists of more than ${mostParts} documents`);
      names.set(identity, name);
      // Reserved before it is followed: documents may import each other.
      parts.set(name, { root: found.root, links: new Map(), kind });
      parts.set(name, { root: found.root, links: follow(found.root, found.base), kind });
    }
    return links;
  };

  return { main: { root, links: follow(root, base) }, parts, unresolved };
}

/** A copy of a document whose imports point to where `address` says that the documents are served. */
export function withLinks(document: WsdlDocument, address: (kind: PartKind, name: string) => string): XmlElement {
  const copy = cloneNode(document.root);
  for (const { element, attribute, kind } of importsOf(copy)) {
    for (const each of element.attributes) {
      const name = each.local === attribute && each.uri === '' ? document.links.get(each.value) : undefined;
      if (name !== undefined) each.value = address(kind, name);
    }
  }
  return copy;
}

/** The documents in which descriptions stand, the main one first. */
export function descriptionsOf({ main, parts }: WsdlDocuments): XmlElement[] {
  const others = [...parts.values()].filter(({ kind }) => kind === 'wsdl');
  return [main.root, ...others.map(({ root }) => root)];
}

function* importsOf(element: XmlElement): Generator<{ element: XmlElement; attribute: string; kind: PartKind }> {
  for (const child of childElements(element)) {
    if (child.uri === schemaNamespace && ['import', 'include', 'redefine'].includes(child.local)) {
      yield { element: child, attribute: 'schemaLocation', kind: 'xsd' };
    } else if ((child.uri === wsdl11 || child.uri === wsdl20) && ['import', 'include'].includes(child.local)) {
      yield { element: child, attribute: 'location', kind: 'wsdl' };
    }
    yield* importsOf(child);
  }
}

/** The file's own name where it is free, else with a number. */
function freeName(location: string, taken: ReadonlyMap<string, unknown>): string {
  const name = location.split(/[?#]/, 1)[0]?.split('/').at(-1) || 'part';
  let free = name;
  for (let count = 1; taken.has(free); count++) free = `${count}-${name}`;
  return free;
}
