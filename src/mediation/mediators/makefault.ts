import {
  appendChild,
  bodyOf,
  childElements,
  cloneNode,
  createEnvelope,
  headerOf,
  soap11Namespace,
  soap12Namespace,
  XmlElement,
  XmlText,
} from '#xml';
import type { SourceNode, XmlNode } from '#xml';
import type { Message } from '#message';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import {
  declareNamespaces,
  readExpression,
  synapseElement,
  textElement,
  type ExpressionSource,
  warnOfOthers,
} from '../reading.ts';

const versions = ['soap11', 'soap12', 'pox'] as const;
type Version = (typeof versions)[number];

/** The fault codes that each version knows (mediators 4.5). */
const allowedCodes: Readonly<Record<'soap11' | 'soap12', readonly string[]>> = {
  soap11: ['VersionMismatch', 'MustUnderstand', 'Client', 'Server'],
  soap12: ['VersionMismatch', 'MustUnderstand', 'DataEncodingUnknown', 'Sender', 'Receiver'],
};

interface Text {
  readonly value: string | undefined;
  readonly expression: ExpressionSource | undefined;
}

interface Detail extends Text {
  readonly children: readonly XmlNode[];
}

interface Definition {
  readonly version: Version;
  readonly response: boolean | undefined;
  readonly code: Text | undefined;
  /** Prefix declarations at `<code>`, for writing a literal code back. */
  readonly codeNamespaces: ReadonlyMap<string, string>;
  readonly reason: Text | undefined;
  readonly node: string | undefined;
  readonly role: string | undefined;
  readonly detail: Detail | undefined;
}

/** `<makefault>`: turns the message into a SOAP or plain XML fault (mediators 4.5). */
export const makefault = defineMediator<Definition>({
  element: 'makefault',
  attributes: ['version', 'response'],
  children: ['code', 'reason', 'node', 'role', 'detail'],
  needsBody: () => true,
  parse(node) {
    const version = node.choice('version', versions, 'soap11');
    const code = node.child('code');
    const reason = node.child('reason');
    if (version !== 'pox' && !code) node.error('<makefault> needs a <code>', { code: 'MR_ARTIFACT_CHILD' });
    if (version !== 'pox' && !reason) node.error('<makefault> needs a <reason>', { code: 'MR_ARTIFACT_CHILD' });
    if (version !== 'pox') {
      if (code) checkCode(code, version);
      for (const part of [code, reason]) if (part) demandText(part);
    }
    const detail = node.child('detail');
    return {
      version,
      response: node.attribute('response') === undefined ? undefined : node.strictFlag('response', true),
      code: code && readText(code),
      codeNamespaces: code?.namespaces() ?? new Map<string, string>(),
      reason: reason && readText(reason),
      node: node.child('node')?.text(),
      role: node.child('role')?.text(),
      detail: detail && { ...readText(detail), children: detail.nodes() },
    };
  },
  serialize(definition) {
    const { version, response, code, codeNamespaces, reason, node, role, detail } = definition;
    const codeElement = code && serializeText('code', code);
    if (codeElement && code.value !== undefined) {
      declareNamespaces(codeElement, [{ text: code.value, namespaces: codeNamespaces }]);
    }
    return synapseElement('makefault', { version: version === 'soap11' ? undefined : version, response }, [
      codeElement,
      reason && serializeText('reason', reason),
      node === undefined ? undefined : textElement('node', node),
      role === undefined ? undefined : textElement('role', role),
      detail && serializeDetail(detail),
    ]);
  },
  compile:
    (definition): Compiled =>
    (message) => {
      if (definition.version === 'pox') writePlainFault(message, definition);
      else writeSoapFault(message, definition, definition.version);
      const turns = definition.response !== false;
      if (turns) message.response = true;
      message.addressing.to = turns
        ? message.addressing.replyTo
        : (message.addressing.faultTo ?? message.addressing.replyTo);
      message.addressing.relatesTo = message.id;
      message.axis2.delete('NO_ENTITY_BODY');
      return CONTINUE;
    },
});

/** An empty reason is one; an empty code is not, which `checkCode` does not see. */
function demandText(node: SourceNode): void {
  const value = node.local === 'code' ? node.attribute('value') : node.rawAttribute('value');
  if (value !== undefined || node.attribute('expression') !== undefined) return;
  node.error(`<${node.local}> needs either "value" or "expression"`, { code: 'MR_ARTIFACT_ATTRIBUTE' });
}

function readText(node: SourceNode): Text {
  warnOfOthers(node, ['value', 'expression']);
  return { value: node.rawAttribute('value'), expression: readExpression(node, 'expression') };
}

function checkCode(node: SourceNode, version: 'soap11' | 'soap12'): void {
  const value = node.attribute('value');
  if (value === undefined) return;
  const [prefix, local] = value.includes(':') ? value.split(':', 2) : [undefined, value];
  const expected = version === 'soap11' ? soap11Namespace : soap12Namespace;
  if (prefix === undefined || node.namespaces().get(prefix) !== expected) {
    node.error(`the fault code "${value}" needs a prefix that is bound to ${expected}`, { attribute: 'value' });
  } else if (!allowedCodes[version].includes(local ?? '')) {
    node.error(`the fault code must be one of ${allowedCodes[version].join(', ')}; found "${local}"`, {
      attribute: 'value',
    });
  }
}

function serializeText(local: string, { value, expression }: Text): XmlElement {
  return declareNamespaces(synapseElement(local, { value, expression: expression?.text }), [expression]);
}

function serializeDetail(detail: Detail): XmlElement {
  const element = serializeText('detail', detail);
  for (const child of detail.children) appendChild(element, cloneNode(child));
  return element;
}

function textOf(text: Text | undefined, message: Message): string {
  return text?.value ?? text?.expression?.expression.evaluateString(message) ?? '';
}

/** The content of the detail: text of the expression, or copies of what stands in the artifact. */
function detailContent(detail: Detail, message: Message): XmlNode[] {
  if (detail.expression) return [new XmlText(textOf(detail, message))];
  return detail.children.map((child) => cloneNode(child));
}

function writePlainFault(message: Message, { detail, reason }: Definition): void {
  const exception = new XmlElement('Exception');
  const content = detail ? detailContent(detail, message) : [new XmlText(textOf(reason, message))];
  for (const node of content) appendChild(exception, node);
  message.payload.setContent([exception]);
}

function writeSoapFault(message: Message, definition: Definition, version: 'soap11' | 'soap12'): void {
  const envelope = createEnvelope(version);
  const { uri, prefix } = envelope;
  const fault = new XmlElement('Fault', uri, prefix);
  const code = `${prefix}:${textOf(definition.code, message).split(':').at(-1) ?? ''}`;
  const reason = textOf(definition.reason, message);
  const add = (local: string, content: readonly XmlNode[], qualified: boolean): XmlElement => {
    const child = qualified ? new XmlElement(local, uri, prefix) : new XmlElement(local);
    for (const node of content) appendChild(child, node);
    appendChild(fault, child);
    return child;
  };
  const { node, role, detail } = definition;
  if (version === 'soap11') {
    add('faultcode', [new XmlText(code)], false);
    add('faultstring', [new XmlText(reason)], false);
    if (role !== undefined) add('faultactor', [new XmlText(role)], false);
    if (detail) add('detail', detailContent(detail, message), false);
  } else {
    const value = new XmlElement('Value', uri, prefix);
    appendChild(value, new XmlText(code));
    add('Code', [value], true);
    const text = new XmlElement('Text', uri, prefix);
    text.attributes.push({ prefix: 'xml', local: 'lang', uri: 'http://www.w3.org/XML/1998/namespace', value: 'en-US' });
    appendChild(text, new XmlText(reason));
    add('Reason', [text], true);
    if (node !== undefined) add('Node', [new XmlText(node)], true);
    if (role !== undefined) add('Role', [new XmlText(role)], true);
    if (detail) add('Detail', detailContent(detail, message), true);
  }
  copyHeaders(message, envelope);
  appendChild(bodyOf(envelope), fault);
  message.payload.setEnvelope(envelope);
}

function copyHeaders(message: Message, envelope: XmlElement): void {
  if (message.payload.hasJson()) return;
  const header = message.envelope().children.find((child) => child.kind === 'element' && child.local === 'Header');
  if (header?.kind !== 'element') return;
  for (const block of childElements(header)) appendChild(headerOf(envelope), cloneNode(block));
}
