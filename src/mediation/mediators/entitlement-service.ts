import { messageOf, synapseCodes } from '#errors';
import type { Message } from '#message';
import { cloneNode, escapeText, serializeXml, XmlElement, type SourceNode } from '#xml';
import type { CompileContext } from '../context.ts';
import { Fault } from '../fault.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { callAdminService, findText } from '../shared/admin-service.ts';
import { basicAuthorization, httpCall } from '../shared/http-call.ts';
import { compileOutcome, readOutcomes, serializeOutcomes, type Outcomes } from '../shared/outcome.ts';
import { BoundedCache, CacheMemory, type Sized } from '../shared/response-cache.ts';
import { textOfValue } from '../shared/typed-value.ts';
import {
  decisionRequestJson,
  decisionRequestXml,
  readDecisionJson,
  readDecisionXml,
  type Decision,
  type DecisionRequest,
} from '../shared/xacml.ts';

const textNames = [
  'remoteServiceUrl',
  'remoteServiceUserName',
  'remoteServicePassword',
  'remoteServiceUrlKey',
  'remoteServiceUserNameKey',
  'remoteServicePasswordKey',
  'callbackClass',
  'client',
  'cacheType',
  'thriftHost',
  'thriftPort',
  'reuseSession',
  'invalidationInterval',
  'maxCacheEntries',
] as const;
type TextName = (typeof textNames)[number];
const outcomeNames = ['onAccept', 'onReject', 'obligations', 'advice'] as const;

/** How decisions are kept where the artifact does not say: milliseconds, and how many. */
const cacheDefaults = { lifetime: 36_000, entries: 10_000 };

interface Definition {
  readonly texts: Readonly<Partial<Record<TextName, string>>>;
  readonly outcomes: Outcomes<(typeof outcomeNames)[number]>;
}

/** `<entitlementService>`: asks an XACML decision point whether a request may pass (mediators 8). */
export const entitlementService = defineMediator<Definition>({
  element: 'entitlementService',
  attributes: [...textNames, ...outcomeNames],
  children: outcomeNames,
  needsBody: () => false,
  parse(node, context) {
    const texts: Partial<Record<TextName, string>> = {};
    for (const name of textNames) {
      const text = node.attribute(name);
      if (text !== undefined) texts[name] = text;
    }
    for (const name of ['remoteServiceUrl', 'remoteServiceUserName', 'remoteServicePassword'] as const) {
      if (texts[name] === undefined && texts[`${name}Key`] === undefined) node.required(name);
      const key = texts[`${name}Key`];
      if (key !== undefined) context.refer({ kind: 'resource', key, node, attribute: `${name}Key` });
    }
    checkClient(node);
    node.integer('invalidationInterval', 0);
    node.integer('maxCacheEntries', 1);
    return { texts, outcomes: readOutcomes(node, outcomeNames, context) };
  },
  serialize: ({ texts, outcomes }) => serializeOutcomes(synapseElement('entitlementService', texts), outcomes),
  compile: compileEntitlement,
});

/** What has no counterpart here is refused by its name, so that nothing is let through unasked. */
function checkClient(node: SourceNode): void {
  node.choice('client', ['basicAuth', 'soap', 'json', 'thrift', 'wsXacml'], 'basicAuth');
  const client = node.attribute('client');
  if (client === 'thrift' || client === 'wsXacml') {
    node.error(`the client "${client}" is not supported; use basicAuth, soap or json`, {
      attribute: 'client',
      code: 'MR_ENTITLEMENT_CLIENT_UNSUPPORTED',
    });
  }
  const callback = node.attribute('callbackClass');
  if (callback !== undefined && !/(?:^|\.)UTEntitlementCallbackHandler$/.test(callback)) {
    node.error(`the callback class "${callback}" is not supported; expected UTEntitlementCallbackHandler`, {
      attribute: 'callbackClass',
      code: 'MR_CLASS_UNKNOWN',
    });
  }
  if (node.attribute('remoteServicePassword')?.startsWith('enc:')) {
    node.error('the password is encrypted with a key store of another server; write it in the clear or name a key', {
      attribute: 'remoteServicePassword',
    });
  }
}

interface Kept extends Sized {
  readonly decision: Decision;
}

function compileEntitlement({ texts, outcomes }: Definition, context: CompileContext): Compiled {
  const { services } = context;
  const ask = compileQuestion(texts, context);
  const kept = texts.cacheType === undefined ? undefined : decisionCache(texts, context);
  const accept = compileOutcome(outcomes.onAccept, context.at('onAccept'), CONTINUE);
  const reject = outcomes.onReject && compileOutcome(outcomes.onReject, context.at('onReject'), STOP);
  const duties = outcomes.obligations && compileOutcome(outcomes.obligations, context.at('obligations'), CONTINUE);
  const advice = outcomes.advice && compileOutcome(outcomes.advice, context.at('advice'), CONTINUE);

  const decide = async (message: Message, request: DecisionRequest): Promise<Decision> => {
    const key = JSON.stringify(request);
    const known = kept?.get(key);
    if (known) return known.decision;
    const decision = await ask(message, request).catch((error: unknown) => {
      const text = `The entitlement service gave no decision: ${messageOf(error)}`;
      throw new Fault({ code: synapseCodes.mediation, message: text, cause: error });
    });
    kept?.set(key, { decision, size: key.length + 1000 });
    return decision;
  };

  return async (message) => {
    const request = requestOf(message);
    const { decision, obligations, advice: advised } = await decide(message, request);
    const isLooked = (advised && advice) || (obligations && duties);
    if (isLooked && !message.payload.loaded) await message.payload.load(services.settings.maxBodyBytes);
    if (advised && advice) await runBeside(message, advised, advice);
    if (obligations && !duties) {
      services.log.warn(
        { at: context.id, message: message.id },
        'obligations came with a decision, and nothing heeds them',
      );
    }
    const isBound = decision === 'Permit' && obligations !== undefined && duties !== undefined;
    const isFulfilled = !isBound || (await runBeside(message, obligations, duties)) === CONTINUE;
    if (decision === 'Permit' && isFulfilled) return accept(message);
    services.log.debug({ at: context.id, message: message.id, decision, request }, 'a request was not permitted');
    if (reject) return reject(message);
    throw new Fault({
      code: synapseCodes.mediation,
      message: 'User is not authorized to perform the action',
      detail: `${request.subject}, ${request.action} on ${request.resource}: ${decision}`,
    });
  };
}

/** Runs a flow over a copy of the message whose body is what came with the decision. */
function runBeside(message: Message, content: XmlElement, run: Compiled): Flow | Promise<Flow> {
  const copy = message.clone();
  copy.payload.setContent([cloneNode(content)]);
  return run(copy);
}

function decisionCache(texts: Definition['texts'], context: CompileContext): BoundedCache<Kept> {
  const { endpointStates, clock } = context.services;
  const lifetime =
    texts.invalidationInterval === undefined ? cacheDefaults.lifetime : Number(texts.invalidationInterval);
  const entries = texts.maxCacheEntries === undefined ? cacheDefaults.entries : Number(texts.maxCacheEntries);
  const memory = endpointStates.obtain('cache-memory', '', () => new CacheMemory());
  const settings = JSON.stringify([lifetime, entries, texts]);
  const identity = `entitlement:${context.id}`;
  return endpointStates.obtain(identity, settings, () => new BoundedCache<Kept>({ lifetime, entries, memory, clock }));
}

type Ask = (message: Message, request: DecisionRequest) => Promise<Decision>;

function compileQuestion(texts: Definition['texts'], context: CompileContext): Ask {
  const { services } = context;
  const valueOf = (message: Message, name: 'remoteServiceUrl' | 'remoteServiceUserName' | 'remoteServicePassword') =>
    texts[name] ?? entryText(message, texts[`${name}Key`] ?? '');
  return async (message, request) => {
    const url = valueOf(message, 'remoteServiceUrl');
    const user = valueOf(message, 'remoteServiceUserName');
    const password = valueOf(message, 'remoteServicePassword');
    if (texts.client === 'json') {
      const path = '/api/identity/entitlement/decision/pdp';
      const base = url.replace(/\/+$/, '');
      const authorization = basicAuthorization(user, password);
      const headers = [
        'Content-Type',
        'application/json',
        'Accept',
        'application/json',
        'Authorization',
        authorization,
      ];
      const target = base.endsWith('/pdp') ? base : `${base}${path}`;
      const body = decisionRequestJson(request);
      const { status, text } = await httpCall({ method: 'POST', url: target, headers, body }, services);
      if (status !== 200) throw new Error(`the decision point answered with status ${status}`);
      return readDecisionJson(text);
    }
    const service = { url, name: 'EntitlementService', user, password };
    const xacml = escapeText(decisionRequestXml(request));
    const operation = {
      name: 'getDecision',
      request: `<xsd:getDecision xmlns:xsd="http://org.apache.axis2/xsd"><xsd:request>${xacml}</xsd:request></xsd:getDecision>`,
    };
    const answer = await callAdminService(service, operation, services);
    return readDecisionXml(findText(answer, 'return') ?? '');
  };
}

function entryText(message: Message, key: string): string {
  const { environment } = message.exchange;
  const entry = environment.localEntry(key) ?? environment.resource(key);
  if (entry === undefined) throw new Error(`there is no resource "${key}"`);
  return (entry instanceof XmlElement ? serializeXml(entry) : entry).trim();
}

/** Who wants to do what: properties of the message say it, or else the request itself. */
function requestOf(message: Message): DecisionRequest {
  const { axis2, properties, addressing } = message;
  const subject = textOfValue(axis2.get('username'));
  if (subject === '') {
    const text = 'The axis2 property "username" does not say who sends the message';
    throw new Fault({ code: synapseCodes.mediation, message: text });
  }
  const [path = ''] = (addressing.to ?? textOfValue(axis2.get('TransportInURL'))).split('?', 1);
  const soapAction = message.header('SOAPAction')?.replaceAll('"', '');
  return {
    subject,
    resource: textOfValue(properties.get('xacml_resource_identifier')) || path,
    action:
      textOfValue(properties.get('xacml_action_identifier')) ||
      soapAction ||
      textOfValue(axis2.get('HTTP_METHOD')) ||
      'read',
  };
}
