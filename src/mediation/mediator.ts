import type { Position } from '#errors';
import type { Message } from '#message';
import type { SourceNode, XmlElement } from '#xml';
import type { Flow } from './flow.ts';
import type { CompileContext, ParseContext } from './context.ts';
import { readRemarks, restoreRemarks } from './remarks.ts';

/** A mediator ready to run. It returns a promise only when it really has to wait. */
export type Compiled = (message: Message) => Flow | Promise<Flow>;

/** One kind of mediator. `D` is its definition: frozen data, as the XML says it. */
export interface MediatorType<D> {
  /** Local name of the element. */
  readonly element: string;
  /** Other spellings of the element that artifacts use. */
  readonly aliases?: readonly string[];
  /** Attributes that it knows, besides those that every mediator has; others are warned about. */
  readonly attributes: readonly string[];
  /** Elements that it reads; others are warned about. Absent where any element may stand, such as mediators. */
  readonly children?: readonly string[];
  /** True when the payload must be there before it runs. */
  needsBody(definition: D): boolean;
  parse(node: SourceNode, context: ParseContext): D;
  serialize(definition: D): XmlElement;
  /** Resolves everything that can be resolved before the first message. */
  compile(definition: D, context: CompileContext): Compiled;
}

/** A parsed mediator; its type and its definition stay together behind this closed form. */
export interface Step {
  readonly element: string;
  readonly position: Position;
  readonly needsBody: boolean;
  serialize(): XmlElement;
  compile(context: CompileContext): Compiled;
}

/** A type as the registry holds it: it parses nodes into steps. */
export interface AnyMediatorType {
  readonly element: string;
  readonly aliases: readonly string[];
  readonly attributes: readonly string[];
  toStep(node: SourceNode, context: ParseContext): Step;
}

const commonAttributes = ['description', 'statistics', 'trace', 'traceFilter'];

/** Declares a mediator; the result goes into the list of `mediators/index.ts`. */
export function defineMediator<D>(type: MediatorType<D>): AnyMediatorType {
  const attributes = [...type.attributes, ...commonAttributes];
  return {
    element: type.element,
    aliases: type.aliases ?? [],
    attributes,
    toStep(node, context) {
      node.knowOnly(attributes);
      if (type.children) node.knowOnlyChildren(type.children);
      const definition = Object.freeze(type.parse(node, context));
      const remarks = readRemarks(node);
      return {
        element: node.local,
        position: node.position(),
        needsBody: type.needsBody(definition),
        serialize: () => restoreRemarks(type.serialize(definition), remarks),
        compile: (compileContext) => type.compile(definition, compileContext),
      };
    },
  };
}
