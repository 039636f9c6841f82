import { textOf } from '#expression';
import type { Message } from '#message';
import { appendChild, headerOf, XmlElement, XmlText, type SourceNode } from '#xml';
import { synapseElement } from '../reading.ts';
import { isTrue } from '../outgoing-body.ts';

const namespaces = {
  final: 'http://www.w3.org/2005/08/addressing',
  submission: 'http://schemas.xmlsoap.org/ws/2004/08/addressing',
} as const;
type Version = keyof typeof namespaces;

const anonymous: Readonly<Record<Version, string>> = {
  final: `${namespaces.final}/anonymous`,
  submission: `${namespaces.submission}/role/anonymous`,
};

/** `<enableAddressing>` of an endpoint (runtime-core 5.1). */
export interface AddressingSettings {
  readonly version: Version | undefined;
  readonly separateListener: boolean | undefined;
}

/** Reads `<enableAddressing>`; undefined when it is absent. */
export function readAddressing(node: SourceNode | undefined): AddressingSettings | undefined {
  if (!node) return undefined;
  node.knowOnly(['version', 'separateListener']);
  const version = node.attribute('version');
  const separateListener = node.attribute('separateListener');
  const settings = {
    version: version === undefined ? undefined : node.choice('version', ['final', 'submission'], 'final'),
    separateListener: separateListener === undefined ? undefined : node.flag('separateListener', false),
  };
  if (settings.separateListener) {
    node.warn('answers are taken from the connection of the request, not from a listener of their own', {
      attribute: 'separateListener',
      code: 'MR_ENDPOINT_SEPARATE_LISTENER',
    });
  }
  return settings;
}

export function serializeAddressing({ version, separateListener }: AddressingSettings): XmlElement {
  return synapseElement('enableAddressing', { version, separateListener });
}

/**
 * Puts WS-Addressing headers into the envelope of a request: `To`, `Action`, `MessageID`, `ReplyTo` and what the
 * message has besides. Those with which the message came are replaced, unless `PRESERVE_WS_ADDRESSING` says that they
 * stay. A JSON payload has no envelope and stays as it is.
 */
export function addAddressing(message: Message, to: string, { version = 'final' }: AddressingSettings): void {
  if (isTrue(message.axis2.get('disableAddressingForOutMessages')) || message.payload.hasJson()) return;
  const header = headerOf(message.payload.editEnvelope());
  const { addressing } = message;
  const uri = namespaces[version];
  if (isTrue(message.properties.get('PRESERVE_WS_ADDRESSING')) && header.children.some(isAddressing)) return;
  header.children = header.children.filter((child) => !isAddressing(child));
  const soapAction = message.header('SOAPAction')?.replaceAll('"', '');
  const add = (local: string, value: string | undefined, isReference = false): void => {
    if (value === undefined || value === '') return;
    const element = new XmlElement(local, uri, 'wsa');
    element.declarations.push({ prefix: 'wsa', uri });
    const text = new XmlText(value);
    if (isReference) {
      const inner = new XmlElement('Address', uri, 'wsa');
      appendChild(inner, text);
      appendChild(element, inner);
    } else appendChild(element, text);
    appendChild(header, element);
  };
  add('To', to);
  add('From', addressing.from, true);
  add('ReplyTo', addressing.replyTo ?? anonymous[version], true);
  add('FaultTo', addressing.faultTo, true);
  add('MessageID', textOf(message.property('default', 'MessageID')));
  add('RelatesTo', addressing.relatesTo);
  add('Action', addressing.action ?? soapAction);
}

function isAddressing(node: { readonly kind: string; readonly uri?: string }): boolean {
  return node.kind === 'element' && (node.uri === namespaces.final || node.uri === namespaces.submission);
}
