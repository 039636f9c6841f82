import type { XmlElement, XmlNode } from '#xml';
import { Frame } from './code.ts';
import type { Visit, XPathNode } from './nodes.ts';
import type { NodeStep, Predicate } from './steps.ts';

/** A child step of a descent: its node test, and predicates that are numbers or do not look at positions. */
export interface DescentStep {
  readonly test: (node: XPathNode) => boolean;
  readonly predicates: readonly Predicate[];
}

/** True for predicates that can be decided as soon as a candidate comes by. */
export function canDescend(predicates: readonly Predicate[]): boolean {
  return predicates.every(({ constant, positional }) => constant !== undefined || !positional);
}

/** As many steps as there are bits to remember which of them a node satisfies. */
export const maxDescentSteps = 30;

/**
 * `//a/b/c` in one pass from the top: each node knows which steps lead to its parent, so that the nodes come in document
 * order without being sorted, and no more of a document is read than the visitor wants.
 */
export function descent(steps: readonly DescentStep[]): NodeStep {
  const tests = steps.map(({ test }) => test);
  const predicates = steps.map((step) => (step.predicates.length === 0 ? undefined : step.predicates));
  const counts = steps.some((step) => step.predicates.some(({ constant }) => constant !== undefined));
  const last = 1 << (steps.length - 1);
  const visitChild = (child: XmlNode, reached: number, place: Place): boolean => {
    let reaches = 0;
    // A node can be reached by the first step from anywhere, by the others where the step before led to its parent.
    for (let index = 0, from = (reached << 1) | 1; from !== 0 && index < tests.length; index++, from >>= 1) {
      if ((from & 1) === 0 || tests[index]?.(child) !== true) continue;
      const filters = predicates[index];
      if (filters && !passes(child, filters, { positions: place.counters?.(index), place })) continue;
      reaches |= 1 << index;
    }
    if ((reaches & last) !== 0 && place.visit(child)) return true;
    return child.kind === 'element' && descend(child, reaches, place);
  };
  const descend = (parent: XmlElement, reached: number, place: Place): boolean => {
    const outer = place.counters;
    if (counts) place.counters = createCounters();
    let stopped = false;
    for (let index = 0; !stopped; index++) {
      const child = parent.childAt(index);
      if (!child) break;
      stopped = visitChild(child, reached, place);
    }
    place.counters = outer;
    return stopped;
  };
  return (node, frame, visit) => {
    const counters = counts ? createCounters() : undefined;
    const place: Place = { frame: new Frame(frame.evaluation, node), visit, counters };
    if (node.kind === 'document') return visitChild(node.root, 0, place);
    return node.kind === 'element' && descend(node, 0, place);
  };
}

/** For the children of one parent: how many candidates of a step came as far as each of its predicates. */
type Counters = (step: number) => number[];

function createCounters(): Counters {
  let counters: number[][] | undefined;
  return (step) => {
    counters ??= [];
    return (counters[step] ??= []);
  };
}

interface Place {
  readonly frame: Frame;
  readonly visit: Visit;
  /** Those of the parent whose children are being visited; undefined when no step counts. */
  counters: Counters | undefined;
}

interface Candidacy {
  /** How many candidates came as far as each predicate; undefined where nobody counts. */
  readonly positions: number[] | undefined;
  readonly place: Place;
}

function passes(candidate: XPathNode, predicates: readonly Predicate[], { positions, place }: Candidacy): boolean {
  for (let index = 0; index < predicates.length; index++) {
    const predicate = predicates[index];
    if (!predicate) continue;
    if (predicate.constant !== undefined && positions) {
      positions[index] = (positions[index] ?? 0) + 1;
      if (positions[index] !== predicate.constant) return false;
    } else {
      place.frame.node = candidate;
      if (!predicate.test(place.frame)) return false;
    }
  }
  return true;
}
