import type { CompileContext } from '#mediation';
import { messageOf } from '#errors';
import { parseXml, type XmlElement } from '#xml';
import type { ProxyDefinition } from './artifact.ts';
import type { PublishWsdl } from './publish-wsdl.ts';
import { describe, describeGeneric, type ServiceDescription } from './wsdl/description.ts';
import { readDocuments, type ReadImport } from './wsdl/documents.ts';
import { wsdl11, wsdl20 } from './wsdl/names.ts';

type Library = CompileContext['library'];

/** A description that must be asked for over HTTP before it is there. */
export interface RemoteDescription {
  /** What is fetched, for messages. */
  readonly source: string;
  /** Reads the fetched text. @throws Error when it is no WSDL */
  read(text: string): ServiceDescription;
}

/**
 * The description of a proxy service: made for it when it publishes none, else read from where it stands.
 *
 * @throws Error when the WSDL is not there or is none
 */
export function loadDescription(
  definition: ProxyDefinition,
  library: Library,
): { here: ServiceDescription } | { remote: RemoteDescription } {
  const { name, publishWsdl, behaviour } = definition;
  if (!publishWsdl) return { here: describeGeneric(name, { behaviour, preservePolicy: true }) };
  const options = { behaviour, preservePolicy: publishWsdl.preservePolicy };
  const read = (root: XmlElement, base: string | undefined): ServiceDescription => {
    if (root.uri !== wsdl11 && root.uri !== wsdl20) {
      throw new Error(`expected a WSDL 1.1 or 2.0 document, found the element <${root.name}>`);
    }
    return describe(readDocuments(root, base, importsBy(publishWsdl, library)), options);
  };
  const { inline, key, uri, endpoint } = publishWsdl;
  if (inline) return { here: read(inline, undefined) };
  const local = key ?? (uri?.startsWith('file:') ? uri : undefined);
  if (local !== undefined) return { here: read(documentAt(local, library), local) };
  const source = uri ?? `the endpoint ${endpoint ?? ''}`;
  return { remote: { source, read: (text) => read(parseXml(text, { file: source }).root, undefined) } };
}

function documentAt(key: string, library: Library): XmlElement {
  const root = library.xmlResource(key);
  if (!root) throw new Error(`the WSDL "${key}" cannot be found`);
  return root;
}

/**
 * Finds imported documents: by a `<resource>` of the service, else beside the importing one. What stands at another
 * server stays there for the client to fetch.
 */
function importsBy({ resources }: PublishWsdl, library: Library): ReadImport {
  return (location, base) => {
    const key = resources.find((resource) => resource.location === location)?.key ?? beside(base, location);
    if (key === undefined) return undefined;
    try {
      const root = library.xmlResource(key);
      return root && { root, base: key };
    } catch (error) {
      throw new Error(`the document "${location}" that the WSDL imports cannot be read: ${messageOf(error)}`, {
        cause: error,
      });
    }
  };
}

/** The key of a relative location, dot segments resolved; undefined for one that stands alone or leaves its tree. */
function beside(base: string | undefined, location: string): string | undefined {
  if (base === undefined || /^[a-z][a-z0-9+.-]*:|^\//i.test(location)) return undefined;
  const colon = base.indexOf(':') + 1;
  const segments = base.slice(colon).split('/').slice(0, -1);
  for (const segment of location.split(/[?#]/, 1)[0]?.split('/') ?? []) {
    if (segment === '..') {
      if (segments.pop() === undefined) return undefined;
    } else if (segment !== '.') segments.push(segment);
  }
  return base.slice(0, colon) + segments.join('/');
}
