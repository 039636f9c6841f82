import { messageOf, MillraceError, synapseCodes } from '#errors';
import { setHeader, setProperty, type Message } from '#message';
import { appendChild, cloneNode, detach, insertBeside, parseXml, XmlElement, type SourceNode } from '#xml';
import type { ParseContext } from '../context.ts';
import { addressedByMessage } from '../endpoints/default.ts';
import { Fault } from '../fault.ts';
import { CONTINUE, type Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { declareNamespaces, readExpression, synapseElement, type ExpressionSource } from '../reading.ts';
import { resolveDeployValue } from '../shared/deploy-value.ts';
import { readEndpointReference, type EndpointReference } from '../shared/endpoint-reference.ts';
import { textOfValue } from '../shared/typed-value.ts';

/** A part of the message: where an expression leads, or what stands under a key. */
interface Part {
  readonly xpath: ExpressionSource | undefined;
  readonly key: string | undefined;
}

interface Definition {
  readonly serviceURL: string | undefined;
  readonly endpointKey: string | undefined;
  /** The endpoint of the key, or the one inside. */
  readonly endpoint: EndpointReference | undefined;
  readonly action: string | undefined;
  readonly initAxis2ClientOptions: boolean | undefined;
  /** JVM configuration, kept for writing back. */
  readonly useServerConfig: string | undefined;
  readonly configuration: XmlElement | undefined;
  readonly source: (Part & { readonly type: string | undefined }) | undefined;
  readonly target: Part | undefined;
}

/** `<callout>`: a blocking call that sends a part of the message and puts the answer into one (mediators 2.6). */
export const callout = defineMediator<Definition>({
  element: 'callout',
  attributes: ['serviceURL', 'endpointKey', 'action', 'initAxis2ClientOptions', 'useServerConfig'],
  children: ['configuration', 'endpoint', 'source', 'target', 'enableSec'],
  needsBody: () => true,
  parse(node, context) {
    const serviceURL = node.attribute('serviceURL');
    const endpointKey = node.attribute('endpointKey');
    const inline = node.child('endpoint');
    const ways = [serviceURL, endpointKey, inline].filter((way) => way !== undefined);
    if (ways.length > 1) node.error('<callout> takes one of "serviceURL", "endpointKey" and <endpoint>');
    node
      .child('enableSec')
      ?.error('messages are not secured by policies yet; without <enableSec> they would go out in the clear', {
        code: 'MR_ENDPOINT_SECURITY_UNSUPPORTED',
      });
    const source = node.child('source');
    const target = node.child('target');
    const options = node.attribute('initAxis2ClientOptions');
    const configuration = node.child('configuration');
    configuration?.knowOnly(['repository', 'axis2xml']);
    return {
      serviceURL,
      endpointKey,
      endpoint:
        endpointKey === undefined
          ? inline && readEndpointReference(inline, context)
          : byKey(node, endpointKey, context),
      action: node.attribute('action'),
      initAxis2ClientOptions: options === undefined ? undefined : node.flag('initAxis2ClientOptions', true),
      useServerConfig: node.attribute('useServerConfig'),
      configuration: configuration?.element,
      source: source && readSource(source),
      target: target && readPart(target),
    };
  },
  serialize(definition) {
    const { serviceURL, endpointKey, action, initAxis2ClientOptions, useServerConfig } = definition;
    const attributes = { serviceURL, endpointKey, action, initAxis2ClientOptions, useServerConfig };
    const element = synapseElement('callout', attributes);
    const { configuration, endpoint, source, target } = definition;
    if (configuration) appendChild(element, cloneNode(configuration));
    if (endpoint && endpointKey === undefined) appendChild(element, endpoint.serialize());
    if (source) appendChild(element, writePart('source', source, { type: source.type }));
    if (target) appendChild(element, writePart('target', target));
    return element;
  },
  compile({ serviceURL, endpoint, action, source, target }, context): Compiled {
    const place = context.at('endpoint');
    const url = serviceURL === undefined ? undefined : resolveDeployValue(serviceURL, context.library);
    const used = endpoint?.compile(place) ?? addressedByMessage(place);
    const { maxBodyBytes } = context.services.settings;
    return async (message): Promise<Flow> => {
      const request = message.clone();
      try {
        if (url !== undefined) request.addressing.to = url;
        // The address says where the call goes; the path of the request is not added to it.
        if (url !== undefined) request.axis2.delete('REST_URL_POSTFIX');
        if (source) takeSource(request, source);
        if (action !== undefined) {
          request.addressing.action = action;
          setHeader(request.headers, 'SOAPAction', `"${action}"`);
        }
        await used.send(request, { blocking: true });
        await request.payload.load(maxBodyBytes);
        putAnswer(message, request, target);
      } catch (error) {
        message.properties.set('blocking.sender.error', 'true');
        throw failed(error);
      }
      return CONTINUE;
    };
  },
});

function byKey(node: SourceNode, key: string, context: ParseContext): EndpointReference | undefined {
  context.refer({ kind: 'endpoint', key, node, attribute: 'endpointKey' });
  const silent: ParseContext = { ...context, refer: () => undefined };
  return readEndpointReference(node.wrap(synapseElement('endpoint', { key })), silent);
}

function readSource(node: SourceNode): Definition['source'] {
  node.knowOnly(['type', 'xpath', 'key']);
  const type = node.attribute('type');
  if (type !== undefined) node.choice('type', ['envelope'], 'envelope');
  const part = readPart(node);
  if (type === undefined && !part.xpath && part.key === undefined) {
    node.error('<source> needs type="envelope", "xpath" or "key"', { code: 'MR_ARTIFACT_ATTRIBUTE' });
  }
  return { ...part, type };
}

function readPart(node: SourceNode): Part {
  return { xpath: readExpression(node, 'xpath'), key: node.attribute('key') };
}

function writePart(local: string, { xpath, key }: Part, more: { type?: string | undefined } = {}): XmlElement {
  return declareNamespaces(synapseElement(local, { ...more, xpath: xpath?.text, key }), [xpath]);
}

/** Makes the part of the message that the source names the body of the request. */
function takeSource(request: Message, { type, xpath, key }: NonNullable<Definition['source']>): void {
  if (type !== undefined) return;
  const element = xpath ? elementAt(request, xpath) : elementUnder(request, key ?? '');
  request.payload.setContent([cloneNode(element)]);
}

function elementAt(message: Message, { text, expression }: ExpressionSource): XmlElement {
  const found: unknown = expression.evaluateValue(message);
  const element = Array.isArray(found) ? found.find((node) => node instanceof XmlElement) : found;
  if (element instanceof XmlElement) return element;
  throw new MillraceError({ code: synapseCodes.calloutFailed, message: `The XPath ${text} leads to no element` });
}

function elementUnder(message: Message, key: string): XmlElement {
  const value = message.property('default', key) ?? message.resource(key);
  if (value instanceof XmlElement) return value;
  const text = textOfValue(value);
  if (text.trimStart().startsWith('<')) return parseXml(text, { file: key }).root;
  throw new MillraceError({ code: synapseCodes.calloutFailed, message: `There is no XML under the key ${key}` });
}

/** Puts the answer where the target says; without one it takes the place of the message's payload. */
function putAnswer(message: Message, answer: Message, target: Part | undefined): void {
  const status: unknown = answer.axis2.get('HTTP_SC');
  if (!target || (!target.xpath && target.key === undefined)) {
    message.payload = answer.payload;
    message.headers = answer.headers;
    message.axis2 = answer.axis2;
    return;
  }
  message.axis2.set('HTTP_SC', status);
  const content = answer.payload.content();
  if (!content) throw new MillraceError({ code: synapseCodes.calloutFailed, message: 'The answer has no payload' });
  if (target.xpath) {
    message.payload.editEnvelope();
    const place = elementAt(message, target.xpath);
    insertBeside(place, [cloneNode(content)], 'after');
    detach(place);
  } else setProperty(message, { scope: 'default', name: target.key ?? '' }, cloneNode(content));
}

function failed(error: unknown): Fault {
  const detail = error instanceof MillraceError ? error.detail : undefined;
  return new Fault({
    code: synapseCodes.calloutFailed,
    message: `Error while executing the callout: ${messageOf(error)}`,
    detail,
    cause: error,
  });
}
