import type { Position } from '#errors';
import type { Message } from '#message';
import { appendChild, cloneNode, type SourceNode, type XmlElement } from '#xml';
import type { CompileContext, ParseContext } from './context.ts';
import type { Flow } from './flow.ts';
import { readRemarks, restoreRemarks } from './remarks.ts';

export interface SendOptions {
  /** A blocking call treats answers of 400 and above as faults unless the message says otherwise. */
  readonly blocking: boolean;
}

/** An endpoint ready to be used: sends the message and turns it into the answer. */
export interface CompiledEndpoint {
  readonly name: string;
  /**
   * Resolves with `CONTINUE` when the answer's head has come, the message then holding it, or with `STOP` when the
   * endpoint's own fault sequence dealt with a failure. Rejects with a `Fault` that carries the original's code when
   * the back end cannot be reached, is suspended, or does not answer in time.
   */
  send(message: Message, options: SendOptions): Promise<Flow>;
}

/** A parsed endpoint, inline or named. */
export interface EndpointDefinition {
  readonly name: string | undefined;
  readonly position: Position;
  serialize(): XmlElement;
  compile(context: CompileContext): CompiledEndpoint;
}

/** One kind of endpoint: the element inside `<endpoint>` that chooses it. */
export interface EndpointType<D> {
  readonly element: string;
  readonly attributes: readonly string[];
  /** Elements that it reads besides those of every kind. */
  readonly children: readonly string[];
  /** `node` is the kind's own element, `outer` the `<endpoint>` around it. */
  parse(node: SourceNode, outer: SourceNode, context: ParseContext): D;
  serialize(definition: D): XmlElement;
  compile(definition: D, name: string, context: CompileContext): CompiledEndpoint;
}

/** A kind as the registry holds it. */
export interface AnyEndpointType {
  readonly element: string;
  read(node: SourceNode, outer: SourceNode, context: ParseContext): ReadEndpoint;
}

export interface ReadEndpoint {
  serialize(): XmlElement;
  compile(name: string, context: CompileContext): CompiledEndpoint;
}

/** Timeout, suspension and retry settings, which every kind has (runtime-core 5.4). */
const policyElements = [
  'timeout',
  'markForSuspension',
  'suspendOnFailure',
  'suspendDurationOnFailure',
  'retryConfig',
  'retry',
];

/** Qualities of service of SOAP messages (runtime-core 5.1). */
const qualityElements = ['enableAddressing', 'enableSec', 'enableRM'];

/** The elements themselves, for writing back; nothing of the rest of the document is kept. */
function readQuality(node: SourceNode): readonly XmlElement[] {
  const found = node.children().filter(({ local }) => qualityElements.includes(local));
  for (const each of found) reportQuality(each);
  return found.map(({ element }) => cloneNode(element));
}

/** What would be sent without its protection is refused; what would only lack headers is warned about. */
function reportQuality(node: SourceNode): void {
  if (node.local === 'enableSec') {
    node.error('messages are not secured by policies yet; without <enableSec> they would go out in the clear', {
      code: 'MR_ENDPOINT_SECURITY_UNSUPPORTED',
    });
  } else if (node.local === 'enableAddressing') {
    node.warn('messages go out without WS-Addressing headers', { code: 'MR_ENDPOINT_ADDRESSING_UNSUPPORTED' });
  }
}

/** Declares a kind of endpoint; the result goes into the list of `endpoints/index.ts`. */
export function defineEndpoint<D>(type: EndpointType<D>): AnyEndpointType {
  return {
    element: type.element,
    read(node, outer, context) {
      node.knowOnly([...type.attributes, 'statistics', 'trace', 'description']);
      node.knowOnlyChildren([...policyElements, ...type.children, ...qualityElements]);
      const quality = readQuality(node);
      const definition = Object.freeze(type.parse(node, outer, context));
      const remarks = readRemarks(node);
      return {
        serialize() {
          const element = type.serialize(definition);
          for (const each of quality) appendChild(element, cloneNode(each));
          return restoreRemarks(element, remarks);
        },
        compile: (name, compileContext) => type.compile(definition, name, compileContext),
      };
    },
  };
}
