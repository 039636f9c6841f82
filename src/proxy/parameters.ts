import {
  deployNode,
  isDeployValue,
  resolveDeployValue,
  synapseElement,
  textElement,
  type CompileContext,
} from '#mediation';
import { appendChild, cloneNode, firstElement, type SourceNode, type XmlElement } from '#xml';

/** One `<parameter>`: text, or an element. */
export interface ProxyParameter {
  readonly name: string;
  readonly text: string;
  readonly xml: XmlElement | undefined;
  /** Other attributes, such as `locked`, for writing back. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly node: SourceNode;
}

/** What the parameters of a proxy service switch (mediators 13). */
export interface ProxyBehaviour {
  /** Publish the WSDL as it is instead of one with our own bindings. */
  readonly useOriginalWsdl: boolean;
  /** With the original WSDL: put our addresses into its ports. */
  readonly modifyPortAddress: boolean;
  /** Write imports with the whole address of the service. */
  readonly absoluteSchemaUrl: boolean;
  /** Deploy although the WSDL cannot be read; the service is then inactive. */
  readonly publishSafely: boolean;
  /** Take messages of operations that the WSDL does not have. */
  readonly acceptsAnyOperation: boolean;
  readonly allowDtd: boolean;
  readonly refusesRest: boolean;
  readonly refusesSoap: boolean;
  /** Only inbound endpoints may use the service. */
  readonly inboundOnly: boolean;
  /** Keep WS-Addressing headers that were understood. */
  readonly keepsProcessedHeaders: boolean;
  /** The element around text and bytes, as `{namespace}name`; undefined for the usual one. */
  readonly wrapper: { readonly uri: string; readonly local: string } | undefined;
}

type Flags = Exclude<keyof ProxyBehaviour, 'wrapper'>;

/** Parameters that are true or false, and what they switch. */
const flags: Readonly<Record<string, Flags>> = {
  useOriginalwsdl: 'useOriginalWsdl',
  modifyUserWSDLPortAddress: 'modifyPortAddress',
  showAbsoluteSchemaURL: 'absoluteSchemaUrl',
  showProxySchemaURL: 'absoluteSchemaUrl',
  enablePublishWSDLSafeMode: 'publishSafely',
  disableOperationValidation: 'acceptsAnyOperation',
  'ApplicationXMLBuilder.allowDTD': 'allowDtd',
  disableREST: 'refusesRest',
  disableRest: 'refusesRest',
  disableSOAP: 'refusesSoap',
  'inbound.only': 'inboundOnly',
  preserveHeaders: 'keepsProcessedHeaders',
  preserveProcessedHeaders: 'keepsProcessedHeaders',
};

const wrapperName = 'Wrapper';

/** Settings of transports that poll or consume; they say nothing about HTTP. */
const transportPrefixes = ['transport.', 'mail.', 'rabbitmq.', 'mqtt.', 'fix.', 'hl7.'];

/** Reads the parameters of a proxy service; one that nothing reads is warned about. */
export function readParameters(node: SourceNode): readonly ProxyParameter[] {
  return node.childrenNamed('parameter').map((child) => {
    const name = child.required('name');
    const text = child.text();
    if (!isDeployValue(text)) checkFlag(name, text, child);
    const isRead = name in flags || name === wrapperName || transportPrefixes.some((prefix) => name.startsWith(prefix));
    if (!isRead && name !== '') {
      child.warn(`nothing reads the parameter "${name}"`, { attribute: 'name', code: 'MR_PROXY_PARAMETER_UNKNOWN' });
    }
    const xml = firstElement(child.element);
    const others = child.element.attributes.filter(({ local, uri }) => uri === '' && local !== 'name');
    return {
      name,
      text,
      xml: xml && cloneNode(xml),
      attributes: new Map(others.map(({ local, value }) => [local, value])),
      node: child,
    };
  });
}

/**
 * The parameters with the values that they have in this deployment (mediators 1.3).
 *
 * @throws MillraceError for a name that has no value
 */
export function deployParameters(
  parameters: readonly ProxyParameter[],
  library: CompileContext['library'],
): readonly ProxyParameter[] {
  return parameters.map((parameter) => {
    if (parameter.xml || !isDeployValue(parameter.text)) return parameter;
    const text = resolveDeployValue(parameter.text, library).trim();
    checkFlag(parameter.name, text, deployNode(parameter.node));
    return { ...parameter, text };
  });
}

/** Anything but true and false counts as false, as in the original. */
function checkFlag(name: string, text: string, node: SourceNode): void {
  if (!(name in flags) || /^(?:true|false)$/i.test(text)) return;
  const message = `the parameter "${name}" must be true or false; "${text}" means false`;
  node.warn(message, { code: 'MR_PROXY_PARAMETER' });
}

export function serializeParameter({ name, text, xml, attributes }: ProxyParameter): XmlElement {
  const element = xml ? synapseElement('parameter') : textElement('parameter', text);
  for (const [local, value] of [['name', name] as const, ...attributes]) {
    element.attributes.push({ prefix: '', local, uri: '', value });
  }
  if (xml) appendChild(element, cloneNode(xml));
  return element;
}

/** What the parameters switch; the last of several with one name counts. */
export function behaviourOf(parameters: readonly ProxyParameter[]): ProxyBehaviour {
  const values: Record<Flags, boolean> = {
    useOriginalWsdl: false,
    modifyPortAddress: true,
    absoluteSchemaUrl: false,
    publishSafely: false,
    acceptsAnyOperation: false,
    allowDtd: false,
    refusesRest: false,
    refusesSoap: false,
    inboundOnly: false,
    keepsProcessedHeaders: false,
  };
  for (const { name, text } of parameters) {
    const flag = flags[name];
    if (flag) values[flag] = text.toLowerCase() === 'true';
  }
  const wrapper = parameters.findLast(({ name }) => name === wrapperName)?.text;
  return { ...values, wrapper: wrapper === undefined ? undefined : qualifiedName(wrapper) };
}

/** `{namespace}name`, or a name alone. */
function qualifiedName(text: string): { uri: string; local: string } {
  const match = /^\{([^}]*)\}(.*)$/.exec(text);
  return match ? { uri: match[1] ?? '', local: match[2] ?? '' } : { uri: '', local: text };
}
