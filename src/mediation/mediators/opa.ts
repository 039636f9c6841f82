import { createConcurrencyLimiter } from '#core';
import { messageOf } from '#errors';
import { parseJson, stringifyJson, type JsonValue } from '#json';
import type { Message } from '#message';
import { appendChild, XmlText, type SourceNode } from '#xml';
import { libraryOf, type CompileContext } from '../context.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { synapseElement, textElement } from '../reading.ts';
import { httpCall } from '../shared/http-call.ts';
import { textOfValue } from '../shared/typed-value.ts';

/** Elements with one text each. */
const textNames = ['serverUrl', 'accessKey', 'policy', 'rule', 'requestGenerator'] as const;
type TextName = (typeof textNames)[number];

interface Definition {
  readonly texts: ReadonlyMap<TextName, string>;
  readonly parameters: ReadonlyMap<string, string>;
}

const parameterNames = [
  'additionalMCProperties',
  'opaPolicyFailureHandler',
  'maxOpenConnections',
  'maxPerRoute',
  'connectionTimeout',
];
const ownGenerator = 'org.apache.synapse.mediators.opa.OPASynapseRequestGenerator';

/** What the client is told, by what went wrong (mediators 6.5). */
const failures = {
  denied: { status: 403, code: 902012, message: 'Access revoked by the policy' },
  unanswered: { status: 500, code: 902011, message: 'The policy gave no usable answer' },
} as const;

/** `<opa>`: asks an Open Policy Agent whether a request may pass (mediators 6.5). */
export const opa = defineMediator<Definition>({
  element: 'opa',
  attributes: [],
  children: [...textNames, 'additionalParameters'],
  needsBody: () => false,
  parse(node) {
    const texts = new Map<TextName, string>();
    for (const name of textNames) {
      const child = node.child(name);
      if (child) texts.set(name, child.text());
    }
    for (const name of ['serverUrl', 'policy'] as const) {
      if (!texts.get(name)) node.error(`<opa> needs the element <${name}>`, { code: 'MR_ARTIFACT_CHILD' });
    }
    const generator = texts.get('requestGenerator') ?? '';
    if (generator !== '' && generator !== ownGenerator) {
      node
        .child('requestGenerator')
        ?.error(`the request generator "${generator}" is not known; expected ${ownGenerator}`, {
          code: 'MR_CLASS_UNKNOWN',
        });
    }
    return { texts, parameters: readParameters(node.child('additionalParameters')) };
  },
  serialize({ texts, parameters }) {
    const element = synapseElement('opa');
    for (const [name, text] of texts) appendChild(element, textElement(name, text));
    if (parameters.size === 0) return element;
    const list = [...parameters].map(([name, text]) => synapseElement('parameter', { name }, [new XmlText(text)]));
    appendChild(element, synapseElement('additionalParameters', {}, list));
    return element;
  },
  compile: compileOpa,
});

function readParameters(node: SourceNode | undefined): Definition['parameters'] {
  const parameters = new Map<string, string>();
  for (const child of node?.childrenNamed('parameter') ?? []) {
    const name = child.required('name');
    const text = child.text();
    if (!parameterNames.includes(name)) {
      child.warn(`<opa> does not know the parameter "${name}"`, { attribute: 'name' });
    } else if (/^max|Timeout$/.test(name) && !/^[1-9]\d*$/.test(text)) {
      child.error(`the parameter "${name}" must be a whole number of at least 1, found "${text}"`);
    }
    parameters.set(name, text);
  }
  return parameters;
}

function compileOpa({ texts, parameters }: Definition, context: CompileContext): Compiled {
  const { services } = context;
  const rule = texts.get('rule') || undefined;
  const base = (texts.get('serverUrl') ?? '').replace(/\/+$/, '');
  const url = [base, texts.get('policy') ?? '', ...(rule === undefined ? [] : [rule])].join('/');
  const accessKey = texts.get('accessKey');
  const properties = (parameters.get('additionalMCProperties') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const handlerKey = parameters.get('opaPolicyFailureHandler') ?? '_opa_policy_failure_handler_';
  const seconds = parameters.get('connectionTimeout');
  const most = ['maxOpenConnections', 'maxPerRoute'].flatMap((name) => Number(parameters.get(name) ?? []) || []);
  const limiter = createConcurrencyLimiter({ concurrency: Math.min(...most, 1000), queue: 10_000 });

  const ask = async (message: Message): Promise<boolean> => {
    const headers = ['Content-Type', 'application/json'];
    if (accessKey) headers.push('Authorization', accessKey);
    const body = stringifyJson(inputOf(message, properties));
    const timeout = seconds === undefined ? undefined : Number(seconds) * 1000;
    const answer = await limiter.run(() => httpCall({ method: 'POST', url, headers, body, timeout }, services));
    if (answer.status !== 200) throw new Error(`the policy server answered with status ${answer.status}`);
    return decisionIn(parseJson(answer.text), rule !== undefined);
  };

  const refuse = async (message: Message, { status, code, message: text }: Failure): Promise<Flow> => {
    const { properties: own, axis2 } = message;
    own.set('ERROR_CODE', code);
    own.set('ERROR_MESSAGE', text);
    axis2.set('HTTP_SC', status);
    const handler = libraryOf(message).sequence(handlerKey);
    if (handler) {
      if ((await handler(message)) === STOP) return STOP;
    } else {
      // The request must not come back as the answer.
      message.payload.clear();
      axis2.set('NO_ENTITY_BODY', true);
      message.headers = [];
    }
    message.response = true;
    message.addressing.to = undefined;
    await message.exchange.answer(message);
    return STOP;
  };

  return async (message) => {
    let isAllowed: boolean;
    try {
      isAllowed = await ask(message);
    } catch (error) {
      services.log.error({ at: context.id, message: message.id, error: messageOf(error) }, 'a policy was not decided');
      return refuse(message, failures.unanswered);
    }
    if (isAllowed) return CONTINUE;
    services.log.debug({ at: context.id, message: message.id }, 'a request was refused by a policy');
    return refuse(message, failures.denied);
  };
}

type Failure = (typeof failures)[keyof typeof failures];

function inputOf(message: Message, properties: readonly string[]): JsonValue {
  const headers = new Map<string, JsonValue>();
  for (let index = 0; index < message.headers.length; index += 2) {
    headers.set(message.headers[index] ?? '', message.headers[index + 1] ?? '');
  }
  const input = new Map<string, JsonValue>([
    ['requestOrigin', textOfValue(message.axis2.get('REMOTE_ADDR'))],
    ['method', textOfValue(message.axis2.get('HTTP_METHOD'))],
    ['path', textOfValue(message.axis2.get('TransportInURL'))],
    ['transportHeaders', headers],
  ]);
  for (const name of properties) {
    const value = message.property('default', name);
    if (value !== undefined && value !== null) input.set(name, textOfValue(value));
  }
  return new Map([['input', input]]);
}

/** `result` of a rule; without one `allow.result`, or `result.allow` as servers answer. @throws Error for neither */
function decisionIn(answer: JsonValue, hasRule: boolean): boolean {
  const member = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
    value instanceof Map ? value.get(name) : undefined;
  const result = member(answer, 'result');
  const decision = hasRule ? result : (member(member(answer, 'allow'), 'result') ?? member(result, 'allow'));
  if (typeof decision === 'boolean') return decision;
  throw new Error('the answer of the policy server holds no decision');
}
