import { bodyOf, childElements, faultOf, firstElement, ownText, parseXml, type XmlElement } from '#xml';
import type { MediationServices } from '../context.ts';
import { basicAuthorization, httpCall } from './http-call.ts';

/** Where a service of an identity server is, and who asks it. */
export interface AdminService {
  /** Address of the services, or of this one itself. */
  readonly url: string;
  /** Name of the service, such as `EntitlementService`. */
  readonly name: string;
  readonly user: string;
  readonly password: string;
}

/**
 * Calls an operation of a SOAP service and gives the element that it answers with.
 *
 * @param operation its name and the XML of its request
 * @throws Error for another status than 200, a SOAP fault and an answer without content; otherwise as `httpCall`
 */
export async function callAdminService(
  service: AdminService,
  operation: { readonly name: string; readonly request: string },
  services: MediationServices,
): Promise<XmlElement> {
  const { url, name, user, password } = service;
  const base = url.replace(/\/+$/, '');
  const headers = ['Content-Type', 'text/xml; charset=UTF-8', 'SOAPAction', `"urn:${operation.name}"`];
  headers.push('Authorization', basicAuthorization(user, password));
  const answer = await httpCall(
    {
      method: 'POST',
      url: base.endsWith(`/${name}`) ? base : `${base}/${name}`,
      headers,
      body: `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>${operation.request}</soapenv:Body></soapenv:Envelope>`,
    },
    services,
  );
  if (answer.status !== 200) throw new Error(`${name} answered with status ${answer.status}`);
  const envelope = parseXml(answer.text).root;
  if (faultOf(envelope)) throw new Error(`${name} answered with a SOAP fault`);
  const content = firstElement(bodyOf(envelope));
  if (!content) throw new Error(`${name} answered without content`);
  return content;
}

/** The first descendant with this local name, in the order of the document. */
export function findElement(element: XmlElement, local: string): XmlElement | undefined {
  for (const child of childElements(element)) {
    if (child.local === local) return child;
    const found = findElement(child, local);
    if (found) return found;
  }
  return undefined;
}

/** The text of the first descendant with this local name. */
export function findText(element: XmlElement, local: string): string | undefined {
  const found = findElement(element, local);
  return found && ownText(found).trim();
}
