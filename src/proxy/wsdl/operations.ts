import { childElements, firstChild, getAttribute, type XmlElement } from '#xml';
import { nameIn, soapBinding11, soapBinding12, wsdl11, wsdl20, wsdl20Soap, type QualifiedName } from './names.ts';

/** An operation of a described service. */
export interface Operation {
  readonly name: string;
  /** Interface or port type. */
  readonly portType: QualifiedName;
  /** `SOAPAction`, or the action of WS-Addressing; undefined when the description names none. */
  readonly action: string | undefined;
  /** Action of the answer in WS-Addressing. */
  readonly outputAction: string | undefined;
  /** The element in the body; undefined where a type or anything is sent. */
  readonly input: QualifiedName | undefined;
  readonly output: QualifiedName | undefined;
  /** True when no answer belongs to it. */
  readonly oneWay: boolean;
}

const addressingUris = [
  'http://www.w3.org/2007/05/addressing/metadata',
  'http://www.w3.org/2006/05/addressing/wsdl',
  'http://www.w3.org/2005/08/addressing',
];

/** The operations of WSDL 1.1 and 2.0 documents, in document order. */
export function readOperations(documents: readonly XmlElement[]): readonly Operation[] {
  return documents[0]?.uri === wsdl20 ? operations20(documents) : operations11(documents);
}

function operations11(documents: readonly XmlElement[]): Operation[] {
  const messages = new Map<string, XmlElement>();
  for (const document of documents) {
    const target = getAttribute(document, 'targetNamespace') ?? '';
    for (const message of named(document, wsdl11, 'message')) {
      messages.set(`{${target}}${getAttribute(message, 'name') ?? ''}`, message);
    }
  }
  const bodyOf = (direction: XmlElement | undefined): QualifiedName | undefined => {
    const name = direction && nameIn(direction, 'message');
    const message = name && messages.get(`{${name.uri}}${name.local}`);
    const part = message && firstChild(message, 'part', wsdl11);
    return part && nameIn(part, 'element');
  };
  const bound = boundOperations(documents);
  return documents.flatMap((document) => {
    const uri = getAttribute(document, 'targetNamespace') ?? '';
    return named(document, wsdl11, 'portType').flatMap((portType) => {
      const local = getAttribute(portType, 'name') ?? '';
      return named(portType, wsdl11, 'operation').map((operation): Operation => {
        const name = getAttribute(operation, 'name') ?? '';
        const input = firstChild(operation, 'input', wsdl11);
        const output = firstChild(operation, 'output', wsdl11);
        const binding = bound.get(`{${uri}}${local}#${name}`);
        return {
          name,
          portType: { uri, local },
          action: binding?.action ?? (input && actionOf(input)),
          outputAction: output && actionOf(output),
          input: bodyOf(input) ?? (binding && { uri: binding.namespace, local: name }),
          output: bodyOf(output),
          oneWay: output === undefined,
        };
      });
    });
  });
}

/** What SOAP bindings say about the operations of each port type. */
function boundOperations(
  documents: readonly XmlElement[],
): Map<string, { action: string | undefined; namespace: string }> {
  const bound = new Map<string, { action: string | undefined; namespace: string }>();
  for (const document of documents) {
    for (const binding of named(document, wsdl11, 'binding')) {
      const type = nameIn(binding, 'type');
      for (const operation of named(binding, wsdl11, 'operation')) {
        const soap = soapChild(operation, 'operation');
        if (!type || !soap) continue;
        const key = `{${type.uri}}${type.local}#${getAttribute(operation, 'name') ?? ''}`;
        const input = firstChild(operation, 'input', wsdl11);
        const namespace = input && getAttribute(soapChild(input, 'body') ?? input, 'namespace');
        const action = getAttribute(soap, 'soapAction') || bound.get(key)?.action;
        bound.set(key, { action, namespace: namespace ?? type.uri });
      }
    }
  }
  return bound;
}

function soapChild(element: XmlElement, local: string): XmlElement | undefined {
  return firstChild(element, local, soapBinding11) ?? firstChild(element, local, soapBinding12);
}

function operations20(documents: readonly XmlElement[]): Operation[] {
  const actions = new Map<string, string>();
  for (const document of documents) {
    for (const binding of named(document, wsdl20, 'binding')) {
      for (const operation of named(binding, wsdl20, 'operation')) {
        const action = operation.attributes.find(({ local, uri }) => local === 'action' && uri === wsdl20Soap)?.value;
        const ref = nameIn(operation, 'ref');
        if (ref && action !== undefined) actions.set(ref.local, action);
      }
    }
  }
  return documents.flatMap((document) => {
    const uri = getAttribute(document, 'targetNamespace') ?? '';
    return named(document, wsdl20, 'interface').flatMap((face) =>
      named(face, wsdl20, 'operation').map((operation): Operation => {
        const name = getAttribute(operation, 'name') ?? '';
        const input = firstChild(operation, 'input', wsdl20);
        const output = firstChild(operation, 'output', wsdl20);
        return {
          name,
          portType: { uri, local: getAttribute(face, 'name') ?? '' },
          action: actions.get(name) ?? (input && actionOf(input)),
          outputAction: output && actionOf(output),
          input: input && elementOf(input),
          output: output && elementOf(output),
          oneWay: output === undefined,
        };
      }),
    );
  });
}

/** `#any`, `#none` and `#other` name no element. */
function elementOf(direction: XmlElement): QualifiedName | undefined {
  return getAttribute(direction, 'element')?.startsWith('#') ? undefined : nameIn(direction, 'element');
}

function actionOf(direction: XmlElement): string | undefined {
  return direction.attributes.find(({ local, uri }) => local === 'Action' && addressingUris.includes(uri))?.value;
}

function named(element: XmlElement, uri: string, local: string): XmlElement[] {
  return childElements(element).filter((child) => child.local === local && child.uri === uri);
}
