import { appendChild, childElements, type XmlElement } from '#xml';
import {
  declare,
  make,
  schemaNamespace,
  standingAlone,
  wsdl20,
  wsdl20Http,
  wsdl20Soap,
  type QualifiedName,
} from './names.ts';
import type { Operation } from './operations.ts';
import { bindingName, portsOf, serviceAddress, type PortKind, type ServiceAddresses } from './ports.ts';

const patterns = { inOut: 'http://www.w3.org/ns/wsdl/in-out', inOnly: 'http://www.w3.org/ns/wsdl/in-only' };
const soapProtocol = 'http://www.w3.org/2003/05/soap/bindings/HTTP/';
const addressingMetadata = 'http://www.w3.org/2006/05/addressing/wsdl';

/** What a WSDL 2.0 description is made from. */
export interface Wsdl20Parts {
  readonly targetNamespace: string;
  readonly operations: readonly Operation[];
  /** The `<types>` of the WSDL 1.1 description, its imports led to the service. */
  readonly types: XmlElement | undefined;
  readonly addresses: ServiceAddresses;
  readonly kinds: readonly PortKind[];
}

/** Writes a service as WSDL 2.0: one interface, a binding of each kind, an endpoint for each listener and binding. */
export function writeWsdl20(parts: Wsdl20Parts): XmlElement {
  const { targetNamespace, operations, types, addresses, kinds } = parts;
  const root = make(['wsdl2', wsdl20, 'description'], { targetNamespace });
  root.declarations.push({ prefix: 'wsdl2', uri: wsdl20 }, { prefix: 'tns', uri: targetNamespace });
  const schemas = types ? childElements(types).filter(({ uri }) => uri === schemaNamespace) : [];
  if (schemas.length > 0) appendChild(root, make(['wsdl2', wsdl20, 'types'], {}, schemas.map(standingAlone)));
  const unique = operations.filter(({ name }, index) => operations.findIndex((each) => each.name === name) === index);
  appendChild(
    root,
    make(
      ['wsdl2', wsdl20, 'interface'],
      { name: 'ServiceInterface' },
      unique.map((operation) => interfaceOperation(root, operation)),
    ),
  );
  for (const kind of kinds)
    appendChild(root, bindingOf(root, kind, { service: addresses.service, operations: unique }));
  const endpoints = portsOf(addresses, kinds).map(({ name, binding, address }) =>
    make(['wsdl2', wsdl20, 'endpoint'], { name, binding: `tns:${binding}`, address }),
  );
  appendChild(
    root,
    make(['wsdl2', wsdl20, 'service'], { name: addresses.service, interface: 'tns:ServiceInterface' }, endpoints),
  );
  return root;
}

/** Puts our addresses into the endpoints of a WSDL 2.0 description. `root` is changed. */
export function withOwnEndpoints(root: XmlElement, { service, bases }: ServiceAddresses): XmlElement {
  for (const element of childElements(root).filter(({ local, uri }) => local === 'service' && uri === wsdl20)) {
    for (const endpoint of childElements(element).filter(({ local }) => local === 'endpoint')) {
      const address = endpoint.attributes.find(({ local }) => local === 'address');
      const name = endpoint.attributes.find(({ local }) => local === 'name')?.value ?? '';
      const { base } = bases.find(({ scheme }) => address?.value.startsWith(`${scheme}:`)) ?? bases[0] ?? {};
      if (address && base !== undefined) {
        address.value = `${serviceAddress(base, service)}.${encodeURIComponent(name)}`;
      }
    }
  }
  return root;
}

function interfaceOperation(root: XmlElement, operation: Operation): XmlElement {
  const direction = (local: string, element: QualifiedName | undefined, action: string | undefined): XmlElement => {
    const child = make(['wsdl2', wsdl20, local], { element: reference(root, element) });
    if (action !== undefined) {
      const prefix = declare(root, addressingMetadata, 'wsaw');
      child.attributes.push({ prefix, local: 'Action', uri: addressingMetadata, value: action });
    }
    return child;
  };
  const { name, oneWay, input, output, action, outputAction } = operation;
  return make(['wsdl2', wsdl20, 'operation'], { name, pattern: oneWay ? patterns.inOnly : patterns.inOut }, [
    direction('input', input, action),
    ...(oneWay ? [] : [direction('output', output, outputAction)]),
  ]);
}

function bindingOf(
  root: XmlElement,
  kind: PortKind,
  { service, operations }: { service: string; operations: readonly Operation[] },
): XmlElement {
  const isRest = kind === 'rest';
  const uri = isRest ? wsdl20Http : wsdl20Soap;
  const prefix = declare(root, uri, isRest ? 'whttp' : 'wsoap');
  const own = (element: XmlElement, local: string, value: string): XmlElement => {
    element.attributes.push({ prefix, local, uri, value });
    return element;
  };
  const children = operations.map(({ name, action }) => {
    const element = make(['wsdl2', wsdl20, 'operation'], { ref: `tns:${name}` });
    return isRest ? own(element, 'location', name) : own(element, 'action', action ?? `urn:${name}`);
  });
  const binding = make(
    ['wsdl2', wsdl20, 'binding'],
    { name: bindingName(service, kind), interface: 'tns:ServiceInterface', type: uri },
    children,
  );
  if (isRest) return own(binding, 'methodDefault', 'POST');
  own(binding, 'version', kind === 'soap11' ? '1.1' : '1.2');
  return own(binding, 'protocol', soapProtocol);
}

function reference(root: XmlElement, name: QualifiedName | undefined): string {
  if (name === undefined) return '#any';
  return name.uri === '' ? name.local : `${declare(root, name.uri, 'ns')}:${name.local}`;
}
