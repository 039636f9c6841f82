import type { NodeTest, Step, XPathAst } from './ast.ts';
import { Frame } from './code.ts';
import { canDescend, descent, maxDescentSteps, type DescentStep } from './descent.ts';
import { childrenOf, inDocumentOrder, nameOf, type Visit, type XPathNode } from './nodes.ts';
import { walks } from './walks.ts';

/** Visits the nodes that a step, or several, reach from a node; returns true when stopped. */
export type NodeStep = (node: XPathNode, frame: Frame, visit: Visit) => boolean;

export interface Predicate {
  /** The position that is asked for, when the predicate is a number. */
  readonly constant: number | undefined;
  readonly needsSize: boolean;
  /** True when the outcome depends on the candidate's position. */
  readonly positional: boolean;
  readonly test: (frame: Frame) => boolean;
}

/** What steps need from the compiler: predicates and the namespaces of prefixes. */
export interface StepContext {
  readonly predicate: (ast: XPathAst) => Predicate;
  readonly namespace: (prefix: string, offset: number) => string;
}

/** How the nodes that reach a step lie: one at most, in order without nesting, or in order. */
export type Order = 'single' | 'flat' | 'ordered';

interface PlannedStep {
  readonly run: NodeStep;
  readonly kind: 'self' | 'parent' | 'down' | 'deep' | 'own' | 'beside' | 'reverse';
  readonly picksOne: boolean;
}

const kinds: Readonly<Record<Step['axis'], PlannedStep['kind']>> = {
  self: 'self',
  parent: 'parent',
  child: 'down',
  attribute: 'own',
  namespace: 'own',
  descendant: 'deep',
  'descendant-or-self': 'deep',
  following: 'beside',
  'following-sibling': 'beside',
  ancestor: 'reverse',
  'ancestor-or-self': 'reverse',
  preceding: 'reverse',
  'preceding-sibling': 'reverse',
};

/**
 * Compiles steps into one walk that yields nodes in document order without duplicates. Sorting happens only after steps
 * whose results can be out of order; elsewhere the walk stops as soon as its visitor has enough.
 */
export function compileSteps(steps: readonly Step[], start: Order, context: StepContext): NodeStep {
  let order = start;
  let walk: NodeStep | undefined;
  for (const step of planSteps(steps, context)) {
    const next = orderAfter(order, step);
    const run = order === 'single' && step.kind === 'reverse' ? reversed(step.run) : step.run;
    const chained = walk ? chain(walk, run) : run;
    walk = next.sort ? sorted(chained) : chained;
    order = next.order;
  }
  return walk ?? ((node, _frame, visit) => visit(node));
}

function orderAfter(order: Order, { kind, picksOne }: PlannedStep): { order: Order; sort: boolean } {
  if (kind === 'self') return { order, sort: false };
  if (order === 'single') {
    if (picksOne || kind === 'parent') return { order: 'single', sort: false };
    return { order: kind === 'down' || kind === 'own' ? 'flat' : 'ordered', sort: false };
  }
  if (kind === 'own') return { order: 'flat', sort: false };
  if (order === 'flat' && kind === 'down') return { order: 'flat', sort: false };
  if (order === 'flat' && kind === 'deep') return { order: 'ordered', sort: false };
  return { order: 'ordered', sort: true };
}

function planSteps(steps: readonly Step[], context: StepContext): PlannedStep[] {
  const planned: PlannedStep[] = [];
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index];
    const next = steps[index + 1];
    if (!step) continue;
    if (isAnyDescendant(step) && next?.axis === 'child') {
      const descending = descentSteps(steps.slice(index + 1), context);
      if (descending.length > 0) planned.push({ run: descent(descending), kind: 'deep', picksOne: false });
      else planned.push(descendantChildren(next, context));
      index += Math.max(1, descending.length);
    } else {
      const predicates = step.predicates.map((ast) => context.predicate(ast));
      const picksOne = predicates.some(({ constant }) => constant !== undefined);
      planned.push({ run: withPredicates(axisWalk(step, context), predicates), kind: kinds[step.axis], picksOne });
    }
  }
  return planned;
}

function isAnyDescendant(step: Step): boolean {
  return step.axis === 'descendant-or-self' && step.test.kind === 'node' && step.predicates.length === 0;
}

/** The steps behind `//` that go from parent to child and count no positions but numbered ones. */
function descentSteps(steps: readonly Step[], context: StepContext): DescentStep[] {
  const found: DescentStep[] = [];
  for (const step of steps.slice(0, maxDescentSteps)) {
    if (step.axis !== 'child') break;
    const predicates = step.predicates.map((ast) => context.predicate(ast));
    if (!canDescend(predicates)) break;
    found.push({ test: compileTest(step, context), predicates });
  }
  return found;
}

/** `//name[…]` whose positions count among the children of each parent. */
function descendantChildren(step: Step, context: StepContext): PlannedStep {
  const predicates = step.predicates.map((ast) => context.predicate(ast));
  const test = compileTest(step, context);
  const pick = withPredicates(axisWalk(step, context), predicates);
  const run: NodeStep = (start, frame, visit) => {
    const descend = (parent: XPathNode): boolean => {
      const children = childrenOf(parent);
      const picked: XPathNode[] = [];
      if (children.some(test)) {
        pick(parent, frame, (node) => {
          picked.push(node);
          return false;
        });
      }
      let next = 0;
      for (const child of children) {
        if (child === picked[next]) {
          next++;
          if (visit(child)) return true;
        }
        if (child.kind === 'element' && child.children.length > 0 && descend(child)) return true;
      }
      return false;
    };
    return descend(start);
  };
  return { run, kind: 'deep', picksOne: false };
}

function axisWalk(step: Step, context: StepContext): NodeStep {
  const walk = walks[step.axis];
  if (step.test.kind === 'node') return (node, frame, visit) => walk(node, frame.evaluation.cache, visit);
  const test = compileTest(step, context);
  return (node, frame, visit) => walk(node, frame.evaluation.cache, (each) => test(each) && visit(each));
}

function compileTest(step: Step, context: StepContext): (node: XPathNode) => boolean {
  const { test } = step;
  switch (test.kind) {
    case 'node':
      return () => true;
    case 'text':
    case 'comment':
      return (node) => node.kind === test.kind;
    case 'processing-instruction': {
      const { target } = test;
      return (node) => node.kind === 'instruction' && (target === undefined || node.target === target);
    }
    case 'name':
      return compileNameTest(step, test, context);
  }
}

function compileNameTest(
  step: Step,
  { prefix, local, offset }: Extract<NodeTest, { kind: 'name' }>,
  context: StepContext,
): (node: XPathNode) => boolean {
  const kind = step.axis === 'attribute' || step.axis === 'namespace' ? step.axis : 'element';
  const uri = prefix === undefined ? '' : context.namespace(prefix, offset);
  if (local === '*') {
    return prefix === undefined
      ? (node) => node.kind === kind
      : (node) => node.kind === kind && nameOf(node).uri === uri;
  }
  if (kind === 'element') {
    return (node) => node.kind === 'element' && node.local === local && node.uri === uri;
  }
  return (node) => node.kind === kind && nameOf(node).local === local && nameOf(node).uri === uri;
}

/** Filters what a walk yields; positions count in the order of the walk. */
export function withPredicates(walk: NodeStep, predicates: readonly Predicate[]): NodeStep {
  if (predicates.length === 0) return walk;
  return predicates.some(({ needsSize }) => needsSize) ? filterWhole(walk, predicates) : filterStream(walk, predicates);
}

function filterStream(walk: NodeStep, predicates: readonly Predicate[]): NodeStep {
  return (node, frame, visit) => {
    const positions = predicates.map(() => 0);
    const inner = new Frame(frame.evaluation, node);
    let stopped = false;
    walk(node, frame, (candidate) => {
      let exhausted = false;
      for (let index = 0; index < predicates.length; index++) {
        const predicate = predicates[index];
        const position = (positions[index] ?? 0) + 1;
        positions[index] = position;
        if (!predicate) continue;
        if (predicate.constant === undefined) {
          inner.node = candidate;
          inner.position = position;
          if (!predicate.test(inner)) return exhausted;
        } else {
          if (position !== predicate.constant) return exhausted || position > predicate.constant;
          exhausted = true;
        }
      }
      stopped = visit(candidate);
      return stopped || exhausted;
    });
    return stopped;
  };
}

function filterWhole(walk: NodeStep, predicates: readonly Predicate[]): NodeStep {
  return (node, frame, visit) => {
    let candidates = collect(walk, node, frame);
    const inner = new Frame(frame.evaluation, node);
    for (const predicate of predicates) {
      inner.size = candidates.length;
      candidates = candidates.filter((candidate, index) => {
        if (predicate.constant !== undefined) return predicate.constant === index + 1;
        inner.node = candidate;
        inner.position = index + 1;
        return predicate.test(inner);
      });
    }
    return candidates.some((candidate) => visit(candidate));
  };
}

function chain(first: NodeStep, second: NodeStep): NodeStep {
  return (node, frame, visit) => first(node, frame, (reached) => second(reached, frame, visit));
}

function reversed(walk: NodeStep): NodeStep {
  return (node, frame, visit) =>
    collect(walk, node, frame)
      .reverse()
      .some((each) => visit(each));
}

function sorted(walk: NodeStep): NodeStep {
  return (node, frame, visit) =>
    inDocumentOrder(collect(walk, node, frame), frame.evaluation.cache).some((each) => visit(each));
}

function collect(walk: NodeStep, node: XPathNode, frame: Frame): XPathNode[] {
  const nodes: XPathNode[] = [];
  walk(node, frame, (each) => {
    nodes.push(each);
    return false;
  });
  return nodes;
}
