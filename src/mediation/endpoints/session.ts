import { getAllHeaders, getHeader, type Message } from '#message';
import { deepText, firstChild, type SourceNode, type XmlElement } from '#xml';
import { synapseElement, synapseNamespace, textElement } from '../reading.ts';

const types = ['http', 'soap', 'simpleClientSession'] as const;
type SessionType = (typeof types)[number];

/** `<session>` beside a `<loadbalance>` (runtime-core 5.6). */
export interface SessionSettings {
  readonly type: SessionType;
  /** Milliseconds; undefined takes the default of the configuration. */
  readonly timeout: number | undefined;
}

/** Reads `<session>`; undefined when it is absent. */
export function readSession(node: SourceNode | undefined): SessionSettings | undefined {
  if (!node) return undefined;
  node.knowOnly(['type']);
  node.knowOnlyChildren(['sessionTimeout']);
  node.required('type');
  const timeout = node.child('sessionTimeout');
  const text = timeout?.text() ?? '';
  if (text !== '' && !/^\d+$/.test(text)) timeout?.error(`<sessionTimeout> must be milliseconds, found "${text}"`);
  return { type: node.choice('type', types, 'http'), timeout: /^\d+$/.test(text) ? Number(text) : undefined };
}

export function serializeSession({ type, timeout }: SessionSettings): XmlElement {
  const time = timeout === undefined ? undefined : textElement('sessionTimeout', String(timeout));
  return synapseElement('session', { type }, [time]);
}

/** How a kind of session is told. */
export interface SessionKind {
  /** True when it stands in the payload. */
  readonly readsBody: boolean;
  /** The sessions that a request may belong to. */
  ofRequest(message: Message): readonly string[];
  /** The session that an answer begins; where clients name it, the one of the request. */
  ofAnswer(message: Message, asked: readonly string[]): string | undefined;
}

export const sessionKinds: Readonly<Record<SessionType, SessionKind>> = {
  http: {
    readsBody: false,
    ofRequest: ({ headers }) =>
      getAllHeaders(headers, 'Cookie').flatMap((value) => value.split(';').map((pair) => pair.trim())),
    ofAnswer: ({ headers }) => getHeader(headers, 'Set-Cookie')?.split(';', 1)[0]?.trim(),
  },
  soap: {
    readsBody: true,
    ofRequest: (message) => listOf(groupId(headerIn(message))),
    ofAnswer: (message) => groupId(replyParameters(headerIn(message))),
  },
  simpleClientSession: {
    readsBody: true,
    ofRequest: (message) => listOf(textIn(headerIn(message), 'ClientID', synapseNamespace)),
    ofAnswer: (_, [asked]) => asked,
  },
};

const axis2Namespace = 'http://ws.apache.org/namespaces/axis2';
const addressingNamespaces = [
  'http://www.w3.org/2005/08/addressing',
  'http://schemas.xmlsoap.org/ws/2004/08/addressing',
];

function headerIn(message: Message): XmlElement | undefined {
  return message.hasJson() ? undefined : firstChild(message.envelope(), 'Header', message.envelope().uri);
}

function groupId(parent: XmlElement | undefined): string | undefined {
  return textIn(parent, 'ServiceGroupId', axis2Namespace);
}

function replyParameters(header: XmlElement | undefined): XmlElement | undefined {
  for (const uri of addressingNamespaces) {
    const replyTo = header && firstChild(header, 'ReplyTo', uri);
    const parameters = replyTo && firstChild(replyTo, 'ReferenceParameters', uri);
    if (parameters) return parameters;
  }
  return undefined;
}

function textIn(parent: XmlElement | undefined, local: string, uri: string): string | undefined {
  const element = parent && firstChild(parent, local, uri);
  const text = element && deepText(element).trim();
  return text === '' ? undefined : text;
}

function listOf(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}
