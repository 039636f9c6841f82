import {
  compileOwnSequence,
  CONTINUE,
  forwarding,
  guardWith,
  readEndpointReference,
  readOwnSequence,
  readRemarks,
  restoreRemarks,
  serializeInline,
  STOP,
  synapseElement,
  type Compiled,
  type CompileContext,
  type EndpointReference,
  type Flow,
  type OwnSequences,
  type ParseContext,
  type Remarks,
} from '#mediation';
import type { Message } from '#message';
import { appendChild, type SourceNode, type XmlElement } from '#xml';

/** `<target>` of a proxy service: the way of its messages (mediators 13). */
export interface ProxyTarget extends OwnSequences {
  readonly endpoint: EndpointReference | undefined;
  /** The name of the endpoint where it stands as an attribute. */
  readonly endpointKey: string | undefined;
  readonly remarks: Remarks | undefined;
}

/** A target ready to serve. */
export interface CompiledTarget {
  /** The request flow, without its fault handling. */
  readonly inFlow: Compiled;
  /** The response flow; undefined sends a response straight to the client. */
  readonly outFlow: Compiled | undefined;
  /** Puts the fault handling of the service around a flow. */
  guard(run: Compiled): Compiled;
}

export function readTarget(node: SourceNode, context: ParseContext): ProxyTarget {
  node.knowOnly(['inSequence', 'outSequence', 'faultSequence', 'endpoint']);
  node.knowOnlyChildren(['inSequence', 'outSequence', 'faultSequence', 'endpoint']);
  const endpointKey = node.attribute('endpoint');
  const child = endpointKey === undefined ? node.child('endpoint') : undefined;
  const inSequence = readOwnSequence(node, 'inSequence', context);
  if (!inSequence.inline && inSequence.key === undefined && endpointKey === undefined && !child) {
    node.error('<target> needs an inSequence or an endpoint', { code: 'MR_PROXY_TARGET' });
  }
  return {
    inSequence,
    outSequence: readOwnSequence(node, 'outSequence', context),
    faultSequence: readOwnSequence(node, 'faultSequence', context),
    endpoint:
      endpointKey === undefined ? child && readEndpointReference(child, context) : named(endpointKey, node, context),
    endpointKey,
    remarks: readRemarks(node),
  };
}

export function serializeTarget(target: ProxyTarget): XmlElement {
  const element = synapseElement('target', {
    inSequence: target.inSequence.key,
    outSequence: target.outSequence.key,
    faultSequence: target.faultSequence.key,
    endpoint: target.endpointKey,
  });
  if (target.endpoint && target.endpointKey === undefined) appendChild(element, target.endpoint.serialize());
  return restoreRemarks(serializeInline(element, target), target.remarks);
}

/** Compiles a target: what the in sequence lets through, or every message without one, goes to the endpoint. */
export function compileTarget(target: ProxyTarget, context: CompileContext): CompiledTarget {
  const endpoint = target.endpoint?.compile(context.at('endpoint'));
  const inSequence = compileOwnSequence(target.inSequence, context.at('in'));
  const forward = endpoint ? forwarding(endpoint) : dropMessage;
  return {
    inFlow: inSequence ? (message) => goOn(inSequence, forward, message) : forward,
    outFlow: compileOwnSequence(target.outSequence, context.at('out')),
    guard: guardWith(target.faultSequence, context),
  };
}

/** The endpoint that an attribute names reads like `<endpoint key="…"/>`. */
function named(key: string, node: SourceNode, context: ParseContext): EndpointReference | undefined {
  return readEndpointReference(node.wrap(synapseElement('endpoint', { key })), {
    ...context,
    refer: (reference) => context.refer({ ...reference, node, attribute: 'endpoint' }),
  });
}

function goOn(run: Compiled, next: Compiled, message: Message): Flow | Promise<Flow> {
  const flow = run(message);
  if (typeof flow === 'boolean') return flow === CONTINUE ? next(message) : STOP;
  return goOnAfter(flow);

  async function goOnAfter(pending: Promise<Flow>): Promise<Flow> {
    return (await pending) === CONTINUE ? next(message) : STOP;
  }
}

/** What no endpoint takes ends there. */
const dropMessage: Compiled = (message) => {
  message.payload.discard();
  return STOP;
};
