import type { Scope } from '../scope.ts';
import type { NodeCache, Visit, XPathNode } from './nodes.ts';
import { stringValue } from './nodes.ts';
import { toBoolean, toNumber, toText, type XPathValue } from './values.ts';

/** One evaluation: the message and the nodes that exist only meanwhile. */
export interface Evaluation {
  readonly scope: Scope;
  readonly cache: NodeCache;
}

/** The context of an expression (XPath 1.0, section 1); predicates move it from candidate to candidate. */
export class Frame {
  readonly evaluation: Evaluation;
  node: XPathNode;
  position = 1;
  size = 1;

  constructor(evaluation: Evaluation, node: XPathNode) {
    this.evaluation = evaluation;
    this.node = node;
  }
}

export type StaticType = 'nodes' | 'string' | 'number' | 'boolean' | 'unknown';

/** A compiled expression. */
export interface Code {
  readonly type: StaticType;
  readonly evaluate: (frame: Frame) => XPathValue;
  /** For node sets: visits the nodes in document order, each once, until told to stop. */
  readonly each?: (frame: Frame, visit: Visit) => boolean;
}

/** Code for a node set from its walk. */
export function nodesCode(each: (frame: Frame, visit: Visit) => boolean): Code {
  return {
    type: 'nodes',
    each,
    evaluate: (frame) => {
      const nodes: XPathNode[] = [];
      each(frame, (node) => {
        nodes.push(node);
        return false;
      });
      return nodes;
    },
  };
}

const stop: Visit = () => true;

/** Converts to a boolean, looking no further than the first node. */
export function booleanOf(code: Code): (frame: Frame) => boolean {
  const { each, evaluate } = code;
  return each ? (frame) => each(frame, stop) : (frame) => toBoolean(evaluate(frame));
}

/** Converts to a string as XPath does: the string-value of the first node. */
export function textOfCode(code: Code): (frame: Frame) => string {
  const { each, evaluate } = code;
  if (!each) return (frame) => toText(evaluate(frame));
  return (frame) => {
    const first = firstNode(each, frame);
    return first ? stringValue(first) : '';
  };
}

/** Converts to a number as XPath does. */
export function numberOf(code: Code): (frame: Frame) => number {
  if (!code.each) return (frame) => toNumber(code.evaluate(frame));
  const text = textOfCode(code);
  return (frame) => toNumber(text(frame));
}

/** The first node in document order. */
export function firstNode(each: (frame: Frame, visit: Visit) => boolean, frame: Frame): XPathNode | undefined {
  let first: XPathNode | undefined;
  each(frame, (node) => {
    first = node;
    return true;
  });
  return first;
}
