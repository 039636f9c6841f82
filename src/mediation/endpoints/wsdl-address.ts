import { MillraceError } from '#errors';
import { childElements, getAttribute, type XmlElement } from '#xml';

/** Where a port of a WSDL document is, and which SOAP it speaks; no version for a port that takes plain XML. */
export interface PortAddress {
  readonly url: string;
  readonly version: 'soap11' | 'soap12' | undefined;
}

const wsdl11 = 'http://schemas.xmlsoap.org/wsdl/';
const wsdl20 = 'http://www.w3.org/ns/wsdl';

/** Namespaces of the address elements of WSDL 1.1 with the version for which they stand. */
const bindings: ReadonlyMap<string, PortAddress['version']> = new Map([
  ['http://schemas.xmlsoap.org/wsdl/soap/', 'soap11'],
  ['http://schemas.xmlsoap.org/wsdl/soap12/', 'soap12'],
  ['http://schemas.xmlsoap.org/wsdl/http/', undefined],
]);

/** True for the root of a WSDL document, 1.1 or 2.0. */
export function isWsdl({ local, uri }: XmlElement): boolean {
  return (local === 'definitions' && uri === wsdl11) || (local === 'description' && uri === wsdl20);
}

/**
 * Finds the address of a port in a WSDL document.
 *
 * @throws MillraceError `MR_WSDL` that names what is missing: the service, the port, its address
 */
export function addressInWsdl(root: XmlElement, serviceName: string, portName: string): PortAddress {
  if (!isWsdl(root)) throw wrong(`expected a WSDL document, found <${root.local}> of the namespace "${root.uri}"`);
  const service = named(root, 'service', serviceName);
  if (root.uri === wsdl20) {
    const endpoint = named(service, 'endpoint', portName);
    const url = getAttribute(endpoint, 'address');
    if (url === undefined) throw wrong(`the endpoint "${portName}" has no address`);
    return { url, version: versionOf20(root, getAttribute(endpoint, 'binding')) };
  }
  const port = named(service, 'port', portName);
  for (const child of childElements(port)) {
    const url = getAttribute(child, 'location');
    if (child.local === 'address' && bindings.has(child.uri) && url !== undefined) {
      return { url, version: bindings.get(child.uri) };
    }
  }
  throw wrong(`the port "${portName}" has no address`);
}

function named(parent: XmlElement, local: string, name: string): XmlElement {
  const candidates = childElements(parent).filter((child) => child.local === local);
  const found = candidates.find((child) => getAttribute(child, 'name') === name);
  if (found) return found;
  const names = candidates.map((child) => getAttribute(child, 'name') ?? '').join(', ');
  throw wrong(`there is no ${local} "${name}"; found ${names === '' ? 'none' : names}`);
}

/** WSDL 2.0 says on the binding whether it is SOAP, and which: 1.2 unless it says 1.1. */
function versionOf20(root: XmlElement, reference: string | undefined): PortAddress['version'] {
  const name = reference?.slice(reference.indexOf(':') + 1);
  const binding = childElements(root).find(
    (child) => child.local === 'binding' && getAttribute(child, 'name') === name,
  );
  if (!binding || getAttribute(binding, 'type') !== `${wsdl20}/soap`) return undefined;
  const version = binding.attributes.find(({ local, uri }) => local === 'version' && uri === `${wsdl20}/soap`);
  return version?.value === '1.1' ? 'soap11' : 'soap12';
}

function wrong(reason: string): MillraceError {
  return new MillraceError({ code: 'MR_WSDL', message: `The WSDL cannot be used: ${reason}` });
}
