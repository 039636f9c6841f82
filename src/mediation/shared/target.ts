import { synapseCodes } from '#errors';
import { setHeader, type Message } from '#message';
import { appendChild, type SourceNode, type XmlElement } from '#xml';
import { libraryOf, type CompileContext, type ParseContext } from '../context.ts';
import { Fault } from '../fault.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { forwarding } from '../forward.ts';
import type { Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import {
  compileSequence,
  parseSequence,
  readSequenceName,
  serializeSteps,
  type SequenceDefinition,
} from '../sequence.ts';
import { sequenceReference } from './branch.ts';
import { readEndpointReference, type EndpointReference } from './endpoint-reference.ts';

/** Where a branch goes (mediators 5.1). */
export interface Target {
  readonly to: string | undefined;
  readonly soapAction: string | undefined;
  /** The named sequence; where it exists it comes before an inline one. */
  readonly sequence: string | undefined;
  readonly inline: SequenceDefinition | undefined;
  readonly endpoint: string | undefined;
  readonly inlineEndpoint: EndpointReference | undefined;
}

/** Reads a `<target>`. */
export function readTarget(node: SourceNode, context: ParseContext): Target {
  node.knowOnly(['to', 'soapAction', 'sequence', 'endpoint']);
  node.knowOnlyChildren(['sequence', 'endpoint']);
  const sequenceNode = node.child('sequence');
  const endpointNode = node.child('endpoint');
  const sequence = sequenceNode ? node.attribute('sequence') : readSequenceName(node, 'sequence', context);
  const endpoint = node.attribute('endpoint');
  if (endpoint !== undefined) context.refer({ kind: 'endpoint', key: endpoint, node, attribute: 'endpoint' });
  const target = {
    to: node.attribute('to'),
    soapAction: node.attribute('soapAction'),
    sequence,
    inline: sequenceNode && readInline(sequenceNode, context),
    endpoint,
    inlineEndpoint: endpointNode && readEndpointReference(endpointNode, context),
  };
  if (!sequenceNode && !endpointNode && sequence === undefined && endpoint === undefined && target.to === undefined) {
    node.warn('<target> names neither a sequence nor an endpoint: the branch ends at once', {
      code: 'MR_TARGET_EMPTY',
    });
  }
  return target;
}

/** Reads the `<target>` that an element must have. */
export function readOnlyTarget(node: SourceNode, context: ParseContext): Target | undefined {
  const child = node.child('target');
  if (!child) node.error(`<${node.local}> needs a <target>`, { code: 'MR_ARTIFACT_CHILD' });
  return child && readTarget(child, context);
}

/** Reads an inline `<sequence>`, which may be a reference to a named one by `key`. */
function readInline(node: SourceNode, context: ParseContext): SequenceDefinition {
  node.knowOnly(['onError', 'key', 'name', 'description', 'trace', 'statistics']);
  if (node.attribute('key') === undefined) return parseSequence(node, context);
  node.error('the sequence of a <target> is named by the attribute "sequence" of the target', { attribute: 'key' });
  return { steps: [], onError: undefined };
}

/** Writes a `<target>` back. */
export function serializeTarget({ to, soapAction, sequence, endpoint, inline, inlineEndpoint }: Target): XmlElement {
  const element = synapseElement('target', { to, soapAction, sequence, endpoint });
  if (inline) {
    appendChild(element, serializeSteps(synapseElement('sequence', { onError: inline.onError }), inline.steps));
  }
  if (inlineEndpoint) appendChild(element, inlineEndpoint.serialize());
  return element;
}

/** Compiles a target: addresses are set first, then the sequence runs, then the endpoint is sent to. */
export function compileTarget(target: Target, context: CompileContext): Compiled {
  const { to, soapAction } = target;
  const run = compileTargetSequence(target, context);
  const forward = compileForward(target, context);
  return (message) => {
    if (to !== undefined) message.addressing.to = to;
    if (soapAction !== undefined) setAction(message, soapAction);
    if (!run) return forward ? forward(message) : CONTINUE;
    const flow = run(message);
    if (!forward) return flow;
    return typeof flow === 'boolean' ? sendAfter(flow) : flow.then(sendAfter);

    function sendAfter(ended: Flow): Flow | Promise<Flow> {
      return ended === STOP || !forward ? STOP : forward(message);
    }
  };
}

function setAction(message: Message, action: string): void {
  message.addressing.action = action;
  setHeader(message.headers, 'SOAPAction', action);
}

/** Tools write a name such as `anon` beside an inline sequence: the name counts only when something has it. */
function compileTargetSequence({ sequence, inline }: Target, context: CompileContext): Compiled | undefined {
  const own = inline && compileSequence(inline, context);
  if (sequence === undefined) return own;
  const named = sequenceReference(sequence, context);
  return own ? (message) => (libraryOf(message).sequence(sequence) ? named : own)(message) : named;
}

/** Sends through the endpoint; a named one may be deployed later than what refers to it. */
function compileForward({ endpoint, inlineEndpoint }: Target, context: CompileContext): Compiled | undefined {
  if (inlineEndpoint) return forwarding(inlineEndpoint.compile(context.at('endpoint')));
  if (endpoint === undefined) return undefined;
  return (message) => {
    const found = libraryOf(message).endpoint(endpoint);
    if (found) return forwarding(found)(message);
    throw new Fault({
      code: synapseCodes.endpointKeyNotFound,
      message: `Couldn't find the endpoint with the key : ${endpoint}`,
    });
  };
}
