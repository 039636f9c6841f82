import { childElements, firstChild, getAttribute, serializeXml, type XmlElement } from '#xml';
import type { ProxyBehaviour } from '../parameters.ts';
import { descriptionsOf, withLinks, type PartKind, type WsdlDocument, type WsdlDocuments } from './documents.ts';
import { genericDescription } from './generic.ts';
import { schemaNamespace, standingAlone, wsdl11, wsdl20 } from './names.ts';
import { createOperationTable, type OperationTable } from './operation-table.ts';
import { readOperations } from './operations.ts';
import { serviceAddress, type PortKind, type ServiceAddresses } from './ports.ts';
import { withOwnAddresses, withOwnPorts, withoutPolicies } from './write-wsdl11.ts';
import { withOwnEndpoints, writeWsdl20 } from './write-wsdl20.ts';

/** What is known of a service: its operations, and its documents as clients see them. */
export interface ServiceDescription {
  /** True when a WSDL was published; messages must then belong to an operation of it. */
  readonly isPublished: boolean;
  readonly operations: OperationTable;
  /** Locations of imports that could not be found. */
  readonly unresolved: readonly string[];
  /** The document that a query asks for; undefined when there is none of that name. */
  document(query: DocumentQuery, addresses: ServiceAddresses): string | undefined;
}

/** `?wsdl`, `?wsdl2`, `?wsdl=name`, `?xsd` or `?xsd=name`. */
export interface DocumentQuery {
  readonly kind: 'wsdl' | 'wsdl2' | 'xsd';
  readonly name: string;
}

export interface DescriptionOptions {
  readonly behaviour: ProxyBehaviour;
  readonly preservePolicy: boolean;
}

/** Describes a service without a WSDL. */
export function describeGeneric(service: string, options: DescriptionOptions): ServiceDescription {
  const main = { root: genericDescription(service), links: new Map<string, string>() };
  return { ...describe({ main, parts: new Map(), unresolved: [] }, options), isPublished: false };
}

/** Describes a service by what it publishes. */
export function describe(documents: WsdlDocuments, options: DescriptionOptions): ServiceDescription {
  const { behaviour } = options;
  const { main, parts } = documents;
  const operations = readOperations(descriptionsOf(documents));
  const kinds = kindsOf(behaviour);
  const isVersion20 = main.root.uri === wsdl20;

  const linked = (document: WsdlDocument, addresses: ServiceAddresses): XmlElement => {
    const root = withLinks(document, (kind, name) => linkTo(addresses, kind, name));
    return options.preservePolicy ? root : withoutPolicies(root);
  };
  const linkTo = ({ service, bases }: ServiceAddresses, kind: PartKind, name: string): string => {
    const base = bases[0]?.base;
    const address =
      behaviour.absoluteSchemaUrl && base !== undefined
        ? serviceAddress(base, service)
        : encodeURIComponent(service.split('/').at(-1) ?? service);
    return `${address}?${kind}=${encodeURIComponent(name)}`;
  };
  const published = (addresses: ServiceAddresses): XmlElement => {
    const root = linked(main, addresses);
    if (behaviour.useOriginalWsdl && !behaviour.modifyPortAddress) return root;
    if (isVersion20) return withOwnEndpoints(root, addresses);
    return behaviour.useOriginalWsdl ? withOwnAddresses(root, addresses) : withOwnPorts(root, { addresses, kinds });
  };

  return {
    isPublished: true,
    operations: createOperationTable(operations),
    unresolved: documents.unresolved,
    document({ kind, name }, addresses) {
      if (name === '' && kind === 'wsdl') return text(published(addresses));
      if (kind === 'wsdl2') {
        if (isVersion20) return text(published(addresses));
        const types = firstChild(linked(main, addresses), 'types', wsdl11);
        const targetNamespace = getAttribute(main.root, 'targetNamespace') ?? '';
        return text(writeWsdl20({ targetNamespace, operations, types, addresses, kinds }));
      }
      const part = parts.get(name);
      if (part) return part.kind === kind ? text(partOf(part, addresses)) : undefined;
      const schema = kind === 'xsd' ? inlineSchema(linked(main, addresses), name) : undefined;
      return schema && text(schema);
    },
  };

  function partOf(part: WsdlDocument & { kind: PartKind }, addresses: ServiceAddresses): XmlElement {
    const root = linked(part, addresses);
    const isOriginal = behaviour.useOriginalWsdl && !behaviour.modifyPortAddress;
    return part.kind === 'wsdl' && !isOriginal ? withOwnAddresses(root, addresses) : root;
  }
}

function kindsOf({ refusesRest, refusesSoap }: ProxyBehaviour): readonly PortKind[] {
  return [...(refusesSoap ? [] : (['soap11', 'soap12'] as const)), ...(refusesRest ? [] : (['rest'] as const))];
}

/** `?xsd` is the first schema inside of the description, `?xsd=xsd1` the second one. */
function inlineSchema(root: XmlElement, name: string): XmlElement | undefined {
  const match = /^(?:xsd(\d+)(?:\.xsd)?)?$/.exec(name);
  const types = firstChild(root, 'types', root.uri);
  if (!match || !types) return undefined;
  const schema = childElements(types).filter(({ uri }) => uri === schemaNamespace)[Number(match[1] ?? 0)];
  return schema && standingAlone(schema);
}

function text(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${serializeXml(root)}`;
}
