import { defineArtifact } from '#artifacts';
import { readServerNames, synapseElement, type ParseContext } from '#mediation';
import { appendChild, cloneNode, type SourceNode, type XmlElement } from '#xml';
import { compileProxy } from './compile.ts';
import {
  behaviourOf,
  readParameters,
  serializeParameter,
  type ProxyBehaviour,
  type ProxyParameter,
} from './parameters.ts';
import { readPublishWsdl, serializePublishWsdl, type PublishWsdl } from './publish-wsdl.ts';
import { readTarget, serializeTarget, type ProxyTarget } from './target.ts';

/** `<policy>`: a WS-Policy document that is attached to the service, to a direction or to one operation. */
export interface ProxyPolicy {
  readonly key: string;
  readonly type: 'in' | 'out' | undefined;
  readonly operationName: string | undefined;
  readonly operationNamespace: string | undefined;
}

export interface ProxyDefinition {
  readonly name: string;
  /** Undefined where nothing is written: every HTTP transport. */
  readonly transports: readonly string[] | undefined;
  /** Names of the servers on which the service starts; empty for every server. */
  readonly pinnedServers: readonly string[];
  readonly startOnLoad: boolean;
  readonly serviceGroup: string | undefined;
  readonly statistics: boolean;
  readonly trace: boolean;
  readonly target: ProxyTarget;
  readonly publishWsdl: PublishWsdl | undefined;
  readonly policies: readonly ProxyPolicy[];
  readonly parameters: readonly ProxyParameter[];
  readonly behaviour: ProxyBehaviour;
  readonly enableAddressing: boolean;
  /** The `<enableAddressing>` element, for writing back. */
  readonly addressing: XmlElement | undefined;
}

const policyTypes = ['in', 'out'] as const;
const servedTransports = ['http', 'https'];

const attributes = [
  'name',
  'transports',
  'pinnedServers',
  'startOnLoad',
  'serviceGroup',
  'statistics',
  'trace',
  'description',
];
const children = ['target', 'publishWSDL', 'policy', 'parameter', 'enableAddressing', 'enableSec', 'enableRM'];

/** `<proxy>`: a service at `/services/<name>` in front of a target (runtime-core 1.2, mediators 13). */
export const proxy = defineArtifact<ProxyDefinition>({
  element: 'proxy',
  folders: ['proxy-services', 'proxies'],
  order: 6,
  nameOf: (node) => node.required('name'),
  parse(node, context) {
    node.knowOnly(attributes);
    node.knowOnlyChildren(children);
    const target = node.child('target');
    if (!target) node.error('<proxy> needs a <target>', { code: 'MR_ARTIFACT_CHILD' });
    const publish = node.child('publishWSDL');
    const addressing = node.child('enableAddressing');
    addressing?.knowOnly([]);
    refuseQualities(node);
    const parameters = readParameters(node);
    return {
      name: node.attribute('name') ?? '',
      transports: readTransports(node),
      pinnedServers: readServerNames(node.attribute('pinnedServers')),
      startOnLoad: node.flag('startOnLoad', true),
      serviceGroup: node.attribute('serviceGroup'),
      statistics: node.attribute('statistics') === 'enable',
      trace: node.attribute('trace') === 'enable',
      target: readTarget(target ?? node.wrap(synapseElement('target', { inSequence: 'main' })), context),
      publishWsdl: publish && readPublishWsdl(publish, context),
      policies: node.childrenNamed('policy').map((child) => readPolicy(child, context)),
      parameters,
      behaviour: behaviourOf(parameters),
      enableAddressing: addressing !== undefined,
      addressing: addressing && cloneNode(addressing.element),
    };
  },
  serialize(definition) {
    const { transports, pinnedServers, startOnLoad, serviceGroup, statistics, trace, publishWsdl } = definition;
    const element = synapseElement('proxy', {
      name: definition.name,
      transports: transports?.join(' '),
      pinnedServers: pinnedServers.length === 0 ? undefined : pinnedServers.join(' '),
      startOnLoad: startOnLoad ? undefined : false,
      serviceGroup,
      statistics: statistics ? 'enable' : undefined,
      trace: trace ? 'enable' : undefined,
    });
    appendChild(element, serializeTarget(definition.target));
    if (publishWsdl) appendChild(element, serializePublishWsdl(publishWsdl));
    for (const policy of definition.policies) appendChild(element, synapseElement('policy', { ...policy }));
    for (const parameter of definition.parameters) appendChild(element, serializeParameter(parameter));
    if (definition.addressing) appendChild(element, cloneNode(definition.addressing));
    return element;
  },
  compile: compileProxy,
});

/** Blanks and commas separate the words of a list. */
function listOf(text: string | undefined): readonly string[] | undefined {
  const words = text?.split(/[\s,]+/).filter((word) => word !== '');
  return words && words.length > 0 ? words : undefined;
}

/** A transport that nothing serves is named; messages come in over the others, and from tasks. */
function readTransports(node: SourceNode): readonly string[] | undefined {
  const transports = listOf(node.attribute('transports'));
  const unserved = transports?.filter((name) => !servedTransports.includes(name)) ?? [];
  if (unserved.length > 0) {
    const isAlone = unserved.length === transports?.length;
    const message = `no message comes in over ${unserved.join(', ')} yet`;
    node.warn(isAlone ? `${message}, so that only tasks reach the service` : message, {
      attribute: 'transports',
      code: 'MR_PROXY_TRANSPORT_UNSERVED',
    });
  }
  return transports;
}

/** What would take messages without the protection that is asked for is refused. */
function refuseQualities(node: SourceNode): void {
  node
    .child('enableSec')
    ?.error('messages are not secured by policies yet; without <enableSec> anybody could call the service', {
      code: 'MR_PROXY_SECURITY_UNSUPPORTED',
    });
  node.child('enableRM')?.error('WS-ReliableMessaging is not supported', { code: 'MR_PROXY_RELIABILITY_UNSUPPORTED' });
}

function readPolicy(node: SourceNode, context: ParseContext): ProxyPolicy {
  node.knowOnly(['key', 'type', 'operationName', 'operationNamespace']);
  const key = node.required('key');
  if (key !== '') context.refer({ kind: 'resource', key, node, attribute: 'key' });
  return {
    key,
    type: node.attribute('type') === undefined ? undefined : node.choice('type', policyTypes, 'in'),
    operationName: node.attribute('operationName'),
    operationNamespace: node.attribute('operationNamespace'),
  };
}
