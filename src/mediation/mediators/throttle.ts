import { formatProblem, synapseCodes, type Problem } from '#errors';
import type { Message } from '#message';
import { appendChild, cloneNode, parseXml, SourceNode } from '#xml';
import type { CompileContext, CompileLibrary, ParseContext } from '../context.ts';
import { Fault } from '../fault.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { compileOutcome, readOutcomes, serializeOutcomes, type Outcomes } from '../shared/outcome.ts';
import { deployNode } from '../shared/deploy-value.ts';
import { createResourceCache } from '../shared/resource-cache.ts';
import type { Place } from '../shared/throttle-counter.ts';
import { readThrottlePolicy, type CallerGroup, type ThrottlePolicy } from '../shared/throttle-policy.ts';
import { textOfValue } from '../shared/typed-value.ts';

const outcomeNames = ['onAccept', 'onReject'] as const;

interface Definition {
  readonly id: string;
  readonly policyKey: string | undefined;
  /** The policy as it is written, which was read without a problem. */
  readonly inline: SourceNode | undefined;
  readonly outcomes: Outcomes<(typeof outcomeNames)[number]>;
}

/** `<throttle>`: lets only so many requests through, at once and within a time (mediators 6.2). */
export const throttle = defineMediator<Definition>({
  element: 'throttle',
  attributes: ['id', ...outcomeNames],
  children: ['policy', ...outcomeNames],
  needsBody: () => false,
  parse(node, context) {
    const policyNode = node.child('policy');
    return {
      id: node.required('id'),
      policyKey: policyNode && readPolicyKey(policyNode, context),
      inline: policyNode && readInlinePolicy(policyNode),
      outcomes: readOutcomes(node, outcomeNames, context),
    };
  },
  serialize({ id, policyKey, inline, outcomes }) {
    const element = synapseElement('throttle', { id });
    if (policyKey !== undefined) appendChild(element, synapseElement('policy', { key: policyKey }));
    else if (inline) appendChild(element, synapseElement('policy', {}, [cloneNode(inline.element)]));
    return serializeOutcomes(element, outcomes);
  },
  compile: compileThrottle,
});

function readPolicyKey(node: SourceNode, context: ParseContext): string | undefined {
  node.knowOnly(['key']);
  const key = node.attribute('key');
  if (key !== undefined) context.refer({ kind: 'resource', key, node, attribute: 'key' });
  return key;
}

function readInlinePolicy(node: SourceNode): Definition['inline'] {
  if (node.attribute('key') !== undefined) return undefined;
  const [child] = node.children();
  if (child) readThrottlePolicy(child);
  else node.error('<policy> needs the attribute "key" or a <wsp:Policy>', { code: 'MR_ARTIFACT_CHILD' });
  return child;
}

function compileThrottle(definition: Definition, context: CompileContext): Compiled {
  const { id, policyKey, inline, outcomes } = definition;
  const { background, log } = context.services;
  const counter = background.throttles.of(id);
  const { library } = context;
  const policies = createResourceCache((key, text) => parsePolicy(key, text, library), true);
  const inlinePolicy = inline && readThrottlePolicy(deployNode(inline), library);
  const policyOf = (message: Message): ThrottlePolicy | undefined =>
    policyKey === undefined ? inlinePolicy : policies(message, policyKey);
  const accept = compileOutcome(outcomes.onAccept, context.at('onAccept'), CONTINUE);
  const reject = compileOutcome(outcomes.onReject, context.at('onReject'), STOP);
  const releaseKey = `synapse.concurrency.throttle.${id}`;

  return (message) => {
    if (message.response) {
      const release = message.properties.get(releaseKey);
      if (typeof release === 'function') release();
      message.properties.delete(releaseKey);
      return CONTINUE;
    }
    const policy = policyOf(message);
    if (!policy) return accept(message);
    return whenKnown(refusalOf(message, policy), (refusal) => decide(message, refusal));
  };

  function decide(message: Message, refusal: object | undefined): Flow | Promise<Flow> {
    message.properties.set('synapse.is.concurrent.access.allowed', refusal === undefined);
    if (refusal === undefined) return accept(message);
    log.debug({ at: context.id, message: message.id, throttle: id, ...refusal }, 'a request was throttled out');
    return reject(message);
  }

  /** Why a request is refused; a refusal counts for nothing. */
  function refusalOf(message: Message, policy: ThrottlePolicy): Refusal | Promise<Refusal> {
    const { maximumConcurrent } = policy;
    if (maximumConcurrent === undefined) return refusalOfCaller(message, policy, undefined);
    return whenKnown(counter.enter(maximumConcurrent), (place) =>
      place ? refusalOfCaller(message, policy, place) : { concurrent: maximumConcurrent },
    );
  }

  function refusalOfCaller(message: Message, { groups }: ThrottlePolicy, place: Place): Refusal | Promise<Refusal> {
    const group = groupOf(message, groups);
    return whenKnown(!group || isAdmitted(message, group), (isIn) => {
      if (!isIn) {
        place?.();
        return { caller: group?.id.text };
      }
      if (place) {
        message.properties.set(releaseKey, place);
        (message.exchange.releases ??= []).push(place);
      }
      return undefined;
    });
  }

  function isAdmitted(message: Message, { id: caller, access }: CallerGroup): boolean | Promise<boolean> {
    if (typeof access === 'string') return access === 'allowed';
    return counter.admits([caller.type, caller.text, ownerOf(message), JSON.stringify(access)].join(' '), access);
  }
}

/** Facts for the log; undefined for a request that may pass. */
type Refusal = object | undefined;

/** Goes on with a value, at once when it is there already. */
function whenKnown<T, R>(value: T | Promise<T>, step: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then((known) => step(known)) : step(value);
}

/** A name of the domain counts before an address; among several groups the most exact one (mediators 6.2). */
function groupOf(message: Message, groups: readonly CallerGroup[]): CallerGroup | undefined {
  const domain = message.header('X-Forwarded-Host') ?? textOfValue(message.axis2.get('REMOTE_HOST'));
  // The listener has put the address here that a trusted proxy forwarded.
  const address = textOfValue(message.axis2.get('REMOTE_ADDR'));
  return bestOf(groups, 'DOMAIN', domain) ?? bestOf(groups, 'IP', address);
}

function bestOf(groups: readonly CallerGroup[], type: string, caller: string): CallerGroup | undefined {
  let best: CallerGroup | undefined;
  let highest = 0;
  for (const group of groups) {
    const fit = group.id.type === type && caller !== '' ? group.id.fits(caller) : 0;
    if (fit <= highest) continue;
    best = group;
    highest = fit;
  }
  return best;
}

/** Each API and proxy has windows of its own for a throttle that several use. */
function ownerOf({ properties }: Message): string {
  const api = properties.get('SYNAPSE_REST_API');
  if (api !== undefined) return `api ${textOfValue(api)}`;
  const proxy = properties.get('proxy.name');
  return proxy === undefined ? '' : `proxy ${textOfValue(proxy)}`;
}

/** Reads a policy from a resource. @throws Fault with everything that is wrong in it */
function parsePolicy(key: string, text: string, library: CompileLibrary): ThrottlePolicy {
  const problems: Problem[] = [];
  const document = parseXml(text, { file: key });
  const policy = readThrottlePolicy(
    new SourceNode(document, document.root, (problem) => problems.push(problem)),
    library,
  );
  if (problems.length === 0) return policy;
  throw new Fault({
    code: synapseCodes.mediation,
    message: `The throttling policy ${key} cannot be used: ${problems[0]?.message ?? ''}`,
    detail: problems.map((problem) => formatProblem(problem)).join('\n'),
  });
}
