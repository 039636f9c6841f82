import {
  appendChild,
  bodyOf,
  childElements,
  cloneNode,
  createEnvelope,
  faultOf,
  firstChild,
  headerOf,
  ownText,
  XmlElement,
  XmlText,
  type SoapVersion,
} from '#xml';

/** Fault codes of SOAP 1.1 (section 4.4.1) and what SOAP 1.2 calls them (part 1, section 5.4.6). */
const codes: readonly (readonly [soap11: string, soap12: string])[] = [
  ['VersionMismatch', 'VersionMismatch'],
  ['MustUnderstand', 'MustUnderstand'],
  ['Client', 'Sender'],
  ['Server', 'Receiver'],
];

/** A copy of the envelope in another SOAP version: header blocks and content go over, a fault is rewritten. */
export function convertedEnvelope(envelope: XmlElement, version: SoapVersion): XmlElement {
  const fresh = createEnvelope(version);
  for (const { prefix, uri } of envelope.declarations) {
    const isTaken = fresh.declarations.some((declaration) => declaration.prefix === prefix);
    if (uri !== envelope.uri && !isTaken) fresh.declarations.push({ prefix, uri });
  }
  const header = firstChild(envelope, 'Header', envelope.uri);
  if (header && header.children.length > 0) {
    const target = headerOf(fresh);
    for (const node of header.children) appendChild(target, cloneNode(node));
  }
  const fault = faultOf(envelope);
  const body = bodyOf(fresh);
  if (fault) {
    appendChild(body, version === 'soap11' ? toSoap11(fault, fresh) : toSoap12(fault, fresh));
  } else {
    for (const node of bodyOf(envelope).children) appendChild(body, cloneNode(node));
  }
  return fresh;
}

function toSoap11(fault: XmlElement, { uri, prefix }: XmlElement): XmlElement {
  const { uri: old } = fault;
  const code = nested(fault, old, ['Code', 'Value']);
  const result = new XmlElement('Fault', uri, prefix);
  addText(result, new XmlElement('faultcode'), `${prefix}:${codeIn(code, 0)}`);
  addText(result, new XmlElement('faultstring'), nested(fault, old, ['Reason', 'Text']));
  const role = firstChild(fault, 'Role', old);
  if (role) addText(result, new XmlElement('faultactor'), ownText(role));
  addDetail(result, new XmlElement('detail'), firstChild(fault, 'Detail', old));
  return result;
}

function toSoap12(fault: XmlElement, { uri, prefix }: XmlElement): XmlElement {
  const make = (local: string): XmlElement => new XmlElement(local, uri, prefix);
  const result = make('Fault');
  const code = make('Code');
  addText(code, make('Value'), `${prefix}:${codeIn(nested(fault, undefined, ['faultcode']), 1)}`);
  appendChild(result, code);
  const reason = make('Reason');
  const text = make('Text');
  text.attributes.push({ prefix: 'xml', local: 'lang', uri: 'http://www.w3.org/XML/1998/namespace', value: 'en' });
  addText(reason, text, nested(fault, undefined, ['faultstring']));
  appendChild(result, reason);
  const actor = firstChild(fault, 'faultactor');
  if (actor) addText(result, make('Role'), ownText(actor));
  addDetail(result, make('Detail'), firstChild(fault, 'detail'));
  return result;
}

/** The code of the other version; one that the versions do not share counts as the receiver's own failure. */
function codeIn(code: string, target: 0 | 1): string {
  // SOAP 1.1 lets senders refine a code: Client.Authentication.
  const local = (code.trim().split(':').at(-1) ?? '').split('.', 1)[0] ?? '';
  const pair = codes.find((names) => names.includes(local));
  return pair?.[target] ?? (target === 0 ? 'Server' : 'Receiver');
}

function nested(element: XmlElement, uri: string | undefined, path: readonly string[]): string {
  let current: XmlElement | undefined = element;
  for (const local of path) current = current && firstChild(current, local, uri);
  return current ? ownText(current) : '';
}

function addText(parent: XmlElement, element: XmlElement, text: string): void {
  appendChild(element, new XmlText(text));
  appendChild(parent, element);
}

function addDetail(fault: XmlElement, target: XmlElement, detail: XmlElement | undefined): void {
  if (!detail || (childElements(detail).length === 0 && ownText(detail).trim() === '')) return;
  for (const node of detail.children) appendChild(target, cloneNode(node));
  appendChild(fault, target);
}
