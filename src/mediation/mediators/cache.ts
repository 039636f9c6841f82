import { synapseCodes } from '#errors';
import { getHeader, setHeader, type Message } from '#message';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import type { CompileContext, ParseContext } from '../context.ts';
import { Fault } from '../fault.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { serializeSteps } from '../sequence.ts';
import { branchTarget, readBranch, type Branch } from '../shared/branch.ts';
import { cacheControlOf } from '../shared/cache-control.ts';
import { cacheKey, keyNeedsBody } from '../shared/cache-key.ts';
import {
  cacheRules,
  checkHashGenerator,
  readCacheProtocol,
  serializeCacheProtocol,
  type CacheProtocol,
  type CacheRules,
} from '../shared/cache-protocol.ts';
import { BoundedCache, CacheMemory } from '../shared/response-cache.ts';
import { captureResponse, restoreResponse, type StoredResponse } from '../shared/stored-response.ts';
import { textOfValue } from '../shared/typed-value.ts';

const slotProperty = 'CachableResponse';
/** Seconds that an answer is kept, and how many, where the artifact does not say. */
const defaults = { timeout: 5000, entries: 1000 };

interface Definition {
  readonly collector: boolean;
  readonly timeout: number | undefined;
  readonly maxMessageSize: number | undefined;
  readonly id: string | undefined;
  /** Of older releases; kept for writing back. */
  readonly scope: string | undefined;
  readonly hashGenerator: string | undefined;
  readonly onCacheHit: Branch | undefined;
  readonly protocol: CacheProtocol | undefined;
  readonly implementation: { readonly type: string | undefined; readonly maxSize: number | undefined } | undefined;
}

/** What a finder leaves on the message for the collector: where the answer belongs, and under which conditions. */
interface Slot {
  readonly cache: BoundedCache<StoredResponse>;
  readonly key: string;
  readonly rules: CacheRules;
  readonly maxMessageSize: number;
  /** The answer that the back end is asked about. */
  readonly stale: StoredResponse | undefined;
}

/** `<cache>`: answers a request as it was answered before; a second one, on the way back, collects answers (6.1). */
export const cache = defineMediator<Definition>({
  element: 'cache',
  attributes: ['collector', 'timeout', 'maxMessageSize', 'id', 'scope', 'hashGenerator'],
  children: ['onCacheHit', 'protocol', 'implementation'],
  needsBody: () => false,
  parse(node, context) {
    node.required('collector');
    const hashGenerator = node.attribute('hashGenerator');
    if (hashGenerator !== undefined) checkHashGenerator(node, hashGenerator, 'hashGenerator');
    const protocol = node.child('protocol');
    const implementation = node.child('implementation');
    return {
      collector: node.flag('collector', false),
      timeout: node.integer('timeout', 0),
      maxMessageSize: node.integer('maxMessageSize', -1),
      id: node.attribute('id'),
      scope: node.attribute('scope'),
      hashGenerator,
      onCacheHit: readOnCacheHit(node, context),
      protocol: protocol && readCacheProtocol(protocol),
      implementation: implementation && readImplementation(implementation),
    };
  },
  serialize(definition) {
    const { collector, timeout, maxMessageSize, id, scope, hashGenerator } = definition;
    const { onCacheHit, protocol, implementation } = definition;
    const element = synapseElement('cache', { collector, timeout, maxMessageSize, id, scope, hashGenerator });
    if (onCacheHit) appendChild(element, serializeOnCacheHit(onCacheHit));
    if (protocol) appendChild(element, serializeCacheProtocol(protocol));
    if (implementation) appendChild(element, synapseElement('implementation', { ...implementation }));
    return element;
  },
  compile: (definition, context) => (definition.collector ? collect(context) : find(definition, context)),
});

function readOnCacheHit(node: SourceNode, context: ParseContext): Branch | undefined {
  const child = node.child('onCacheHit');
  child?.knowOnly(['sequence']);
  return child && readBranch(child, context);
}

function serializeOnCacheHit({ key, steps }: Branch): XmlElement {
  return serializeSteps(synapseElement('onCacheHit', { sequence: key }), steps);
}

function readImplementation(node: SourceNode): Definition['implementation'] {
  node.knowOnly(['type', 'maxSize']);
  return { type: node.attribute('type'), maxSize: node.integer('maxSize', -1) };
}

function find(definition: Definition, context: CompileContext): Compiled {
  const { services } = context;
  const { endpointStates, clock, settings, log } = services;
  const rules = cacheRules(definition.protocol);
  const maxSize = definition.implementation?.maxSize ?? -1;
  const entries = maxSize < 0 ? defaults.entries : maxSize;
  const lifetime = (definition.timeout ?? defaults.timeout) * 1000;
  const maxMessageSize =
    (definition.maxMessageSize ?? -1) < 0 ? settings.maxBodyBytes : (definition.maxMessageSize as number);
  const memory = endpointStates.obtain('cache-memory', '', () => new CacheMemory());
  const identity = `cache:${definition.id ?? context.id}`;
  const kept = endpointStates.obtain(
    identity,
    JSON.stringify([lifetime, entries]),
    () => new BoundedCache<StoredResponse>({ lifetime, entries, memory, clock }),
  );
  const onCacheHit = definition.onCacheHit && branchTarget(definition.onCacheHit, context.at('onCacheHit'));

  const lookUp = (message: Message, method: string): Flow | Promise<Flow> => {
    const key = cacheKey(message, method, rules.headers);
    message.properties.set('requestHash', key);
    const known = kept.get(key);
    const use = known ? usability(message, known, rules) : 'miss';
    const slot: Slot = { cache: kept, key, rules, maxMessageSize, stale: use === 'revalidate' ? known : undefined };
    message.properties.set(slotProperty, slot);
    if (!known || use !== 'hit') return CONTINUE;
    log.debug({ at: context.id, message: message.id }, 'a request was answered from the cache');
    message.response = true;
    serve(message, known, rules);
    return stopAfter(message);
  };

  const stopAfter = (message: Message): Flow | Promise<Flow> => {
    message.addressing.to = undefined;
    const pending = onCacheHit ? onCacheHit(message) : message.exchange.answer(message);
    return pending instanceof Promise ? pending.then(() => STOP) : STOP;
  };

  return (message) => {
    if (message.response) throw misplaced('Response messages cannot be handled in a non collector cache');
    const method = textOfValue(message.axis2.get('HTTP_METHOD')) || 'POST';
    if (!rules.methods.includes('*') && !rules.methods.includes(method)) return CONTINUE;
    if (!keyNeedsBody(method) || message.payload.loaded) return lookUp(message, method);
    return message.payload.load(settings.maxBodyBytes).then(() => lookUp(message, method));
  };
}

function collect(context: CompileContext): Compiled {
  const { log } = context.services;
  return (message) => {
    if (!message.response) throw misplaced('Request messages cannot be handled in a collector cache');
    const slot = message.properties.get(slotProperty) as Slot | undefined;
    if (!slot) {
      log.debug({ at: context.id, message: message.id }, 'an answer belongs to no request that a cache looked up');
      return CONTINUE;
    }
    store(message, slot);
    return CONTINUE;
  };
}

function store(message: Message, { cache: kept, key, rules, maxMessageSize, stale }: Slot): void {
  const status = textOfValue(message.axis2.get('HTTP_SC')).trim();
  if (stale && status === '304') {
    // The back end says that what we have still holds.
    const renewed = { ...stale, madeAt: message.now() };
    kept.set(key, renewed);
    serve(message, renewed, rules);
    return;
  }
  const isUnwanted = rules.obeysCacheControl && cacheControlOf(message.headers).noStore;
  if (isUnwanted || (status !== '' && !rules.storesStatus(status))) {
    kept.forget(key);
    return;
  }
  captureResponse(message, maxMessageSize, (response) => kept.set(key, response));
}

/** Whether a stored answer may be given; `revalidate` asks the back end, with the entity tag in the request. */
function usability(message: Message, known: StoredResponse, rules: CacheRules): 'hit' | 'miss' | 'revalidate' {
  if (!rules.obeysCacheControl) return 'hit';
  const stored = cacheControlOf(known.headers);
  const isTooOld = stored.maxAge !== undefined && known.madeAt + stored.maxAge * 1000 < message.now();
  if (isTooOld) return 'miss';
  if (!stored.noCache && !cacheControlOf(message.headers).noCache) return 'hit';
  const tag = getHeader(known.headers, 'ETag');
  if (tag === undefined) return 'miss';
  setHeader(message.headers, 'If-None-Match', tag);
  return 'revalidate';
}

/** Turns the message into the stored answer. */
function serve(message: Message, known: StoredResponse, rules: CacheRules): void {
  restoreResponse(message, known);
  if (!rules.addsAge) return;
  const age = Math.max(0, Math.floor((message.now() - known.madeAt) / 1000));
  setHeader(message.headers, 'Age', String(age));
}

function misplaced(text: string): Fault {
  return new Fault({ code: synapseCodes.mediation, message: text });
}
