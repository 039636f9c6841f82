import { appendChild, childElements, cloneNode, detach, firstChild, getAttribute, type XmlElement } from '#xml';
import { declare, httpBinding, make, nameIn, soapBinding11, soapBinding12, wsdl11, mimeBinding } from './names.ts';
import { bindingName, portsOf, serviceAddress, type PortKind, type ServiceAddresses } from './ports.ts';

const soapTransport = 'http://schemas.xmlsoap.org/soap/http';
const policyNamespaces = ['http://schemas.xmlsoap.org/ws/2004/09/policy', 'http://www.w3.org/ns/ws-policy'];

/** The elements of each kind of binding. */
const extensions: Readonly<Record<PortKind, { readonly uri: string; readonly prefix: string }>> = {
  soap11: { uri: soapBinding11, prefix: 'soap' },
  soap12: { uri: soapBinding12, prefix: 'soap12' },
  rest: { uri: httpBinding, prefix: 'http' },
};

/** How a WSDL 1.1 document is published. */
export interface Wsdl11Options {
  readonly addresses: ServiceAddresses;
  readonly kinds: readonly PortKind[];
}

/**
 * Gives a description bindings and ports of ours: a SOAP 1.1, a SOAP 1.2 and an HTTP port for each listener. Bindings
 * of the description that speak SOAP are kept in both versions; one whose bindings stand elsewhere keeps its ports,
 * with our addresses. `root` is changed.
 */
export function withOwnPorts(root: XmlElement, { addresses, kinds }: Wsdl11Options): XmlElement {
  const portTypes = named(root, 'portType');
  const bindings = named(root, 'binding');
  if (portTypes.length === 0 || (bindings.length === 0 && named(root, 'service').length > 0)) {
    return withOwnAddresses(root, addresses);
  }
  const service = make([root.prefix, wsdl11, 'service'], { name: addresses.service });
  const tns = declare(root, getAttribute(root, 'targetNamespace') ?? '', 'tns');
  for (const portType of portTypes) {
    const type = getAttribute(portType, 'name') ?? '';
    const part = portTypes.length > 1 ? type : '';
    const model = bindings.find((binding) => nameIn(binding, 'type')?.local === type && isSoap(binding));
    if (!model && bindings.length > 0) continue;
    for (const kind of kinds) {
      const name = bindingName(addresses.service, kind, part);
      appendChild(root, bindingOf({ kind, name, type: `${tns}:${type}`, portType, model, root }));
    }
    for (const port of portsOf(addresses, kinds, part)) {
      const [prefix, uri] = bindingNames(root, port.kind);
      const address = make([prefix, uri, 'address'], { location: port.address });
      appendChild(
        service,
        make([root.prefix, wsdl11, 'port'], { name: port.name, binding: `${tns}:${port.binding}` }, [address]),
      );
    }
  }
  for (const old of [...bindings, ...named(root, 'service')]) detach(old);
  appendChild(root, service);
  return root;
}

/** Puts our addresses into the ports of a description: each port at `/services/<service>.<port>`. */
export function withOwnAddresses(root: XmlElement, { service, bases }: ServiceAddresses): XmlElement {
  for (const element of named(root, 'service')) {
    for (const port of named(element, 'port')) {
      for (const address of childElements(port).filter(({ local }) => local === 'address')) {
        const location = address.attributes.find(({ local }) => local === 'location');
        if (!location) continue;
        const { base } = bases.find(({ scheme }) => location.value.startsWith(`${scheme}:`)) ?? bases[0] ?? {};
        const name = getAttribute(port, 'name') ?? '';
        if (base !== undefined) location.value = `${serviceAddress(base, service)}.${encodeURIComponent(name)}`;
      }
    }
  }
  return root;
}

/** Takes policies and references to them out of a description. `root` is changed. */
export function withoutPolicies(root: XmlElement): XmlElement {
  for (const child of childElements(root)) {
    if (policyNamespaces.includes(child.uri)) detach(child);
    else withoutPolicies(child);
  }
  root.attributes = root.attributes.filter(({ uri }) => !policyNamespaces.includes(uri));
  return root;
}

interface BindingParts {
  readonly kind: PortKind;
  readonly name: string;
  readonly type: string;
  readonly portType: XmlElement;
  /** The description's own SOAP binding. */
  readonly model: XmlElement | undefined;
  readonly root: XmlElement;
}

function bindingOf(parts: BindingParts): XmlElement {
  const { kind, name, type, model, root } = parts;
  if (kind === 'rest') return restBinding(parts);
  const [prefix, uri] = bindingNames(root, kind);
  if (model) {
    const copy = cloneNode(model);
    for (const attribute of copy.attributes) {
      if (attribute.local === 'name') attribute.value = name;
      if (attribute.local === 'type') attribute.value = type;
    }
    toSoapNamespace(copy, prefix, uri);
    return copy;
  }
  const operations = named(parts.portType, 'operation').map((operation) => {
    const operationName = getAttribute(operation, 'name') ?? '';
    const body = (): XmlElement => make([prefix, uri, 'body'], { use: 'literal' });
    return make([root.prefix, wsdl11, 'operation'], { name: operationName }, [
      make([prefix, uri, 'operation'], { soapAction: `urn:${operationName}`, style: 'document' }),
      ...directionsOf(operation, root, body),
    ]);
  });
  return make([root.prefix, wsdl11, 'binding'], { name, type }, [
    make([prefix, uri, 'binding'], { transport: soapTransport, style: 'document' }),
    ...operations,
  ]);
}

function restBinding({ name, type, portType, root }: BindingParts): XmlElement {
  const [prefix, uri] = bindingNames(root, 'rest');
  const mime = declare(root, mimeBinding, 'mime');
  const operations = named(portType, 'operation').map((operation) => {
    const operationName = getAttribute(operation, 'name') ?? '';
    const content = (): XmlElement => make([mime, mimeBinding, 'content'], { type: 'application/xml' });
    return make([root.prefix, wsdl11, 'operation'], { name: operationName }, [
      make([prefix, uri, 'operation'], { location: operationName }),
      ...directionsOf(operation, root, content),
    ]);
  });
  return make([root.prefix, wsdl11, 'binding'], { name, type }, [
    make([prefix, uri, 'binding'], { verb: 'POST' }),
    ...operations,
  ]);
}

function directionsOf(operation: XmlElement, root: XmlElement, content: () => XmlElement): XmlElement[] {
  return ['input', 'output']
    .filter((local) => firstChild(operation, local, wsdl11))
    .map((local) => make([root.prefix, wsdl11, local], {}, [content()]));
}

/** Prefix and namespace of the elements that a kind of binding consists of. */
function bindingNames(root: XmlElement, kind: PortKind): readonly [prefix: string, uri: string] {
  const { uri, prefix } = extensions[kind];
  return [declare(root, uri, prefix), uri];
}

function toSoapNamespace(element: XmlElement, prefix: string, uri: string): void {
  if (element.uri === soapBinding11 || element.uri === soapBinding12) Object.assign(element, { prefix, uri });
  for (const child of childElements(element)) toSoapNamespace(child, prefix, uri);
}

function isSoap(binding: XmlElement): boolean {
  return childElements(binding).some(
    ({ local, uri }) => local === 'binding' && (uri === soapBinding11 || uri === soapBinding12),
  );
}

function named(element: XmlElement, local: string): XmlElement[] {
  return childElements(element).filter((child) => child.local === local && child.uri === wsdl11);
}
