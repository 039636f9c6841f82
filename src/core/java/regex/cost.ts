import { type CharSet, emptySet, fullSet, overlaps, unite } from './char-set.ts';
import type { RegexNode, RepeatNode } from './syntax.ts';

/**
 * What a backtracking engine may have to do from one place in the pattern to its end: at most
 * `factor * length ** degree` steps.
 */
interface Cost {
  /** What the rest can begin with. */
  readonly first: CharSet;
  readonly degree: number;
  readonly factor: number;
  /** Whether there is more than one way through the rest for some text. */
  readonly ambiguous: boolean;
}

/** The work of a backtracking engine on a text; `degree` Infinity when it could not be bounded. */
export interface RegexCost {
  /** Power of the length for a match of the whole text. */
  readonly whole: number;
  /** Power of the length for a search. */
  readonly search: number;
  /** Possessive repetitions that give nothing back anyway, since what follows begins differently. */
  readonly harmless: ReadonlySet<RepeatNode>;
}

/** Possessive repetitions of a set, and those that clash with what follows in some place where they are measured. */
interface Possessive {
  readonly seen: Set<RepeatNode>;
  readonly clashing: Set<RepeatNode>;
}

const accept: Cost = { first: emptySet, degree: 0, factor: 1, ambiguous: false };
/** Most ways that bounded choices may multiply to. */
const factorLimit = 1000;

/**
 * Bounds the work of a backtracking engine. A loop is harmless when what it repeats and what follows it never begin
 * with the same character: then leaving it early fails at once. Each loop without that property costs a power.
 */
export function costOf(root: RegexNode): RegexCost {
  const possessive: Possessive = { seen: new Set(), clashing: new Set() };
  const cost = measure(root, accept, possessive);
  const whole = cost.factor > factorLimit ? Infinity : cost.degree;
  const isSingleTry = startsAtStart(root) || cannotFailAfterLoop(root);
  const harmless = possessive.seen.difference(possessive.clashing);
  return { whole, search: isSingleTry ? Math.max(1, whole) : whole + 1, harmless };
}

function measure(node: RegexNode, next: Cost, possessive: Possessive): Cost {
  switch (node.kind) {
    case 'set':
      return { ...next, first: node.set };
    case 'sequence':
      return node.items.reduceRight((rest, item) => measure(item, rest, possessive), next);
    case 'choice':
      return measureChoice(node.branches.map((branch) => measure(branch, next, possessive)));
    case 'group':
      return measure(node.body, next, possessive);
    case 'repeat':
      return measureRepeat(node, next, possessive);
    case 'look': {
      const inner = measure(node.body, accept, possessive);
      return {
        // Looking far at every place where a loop could end makes that loop cost a power.
        first: inner.degree > 0 ? fullSet : next.first,
        degree: Math.max(inner.degree, next.degree),
        factor: inner.factor + next.factor,
        ambiguous: next.ambiguous,
      };
    }
    case 'atomic':
      return measureAtomic(node.body, next, possessive);
    case 'reference':
      return { ...next, first: fullSet, degree: Math.max(node.isBounded ? 0 : 1, next.degree) };
    case 'anchor':
      return next;
  }
}

function measureChoice(branches: readonly Cost[]): Cost {
  const ambiguous = branches.some((branch, index) =>
    branches.slice(index + 1).some((other) => overlaps(branch.first, other.first)),
  );
  const factors = branches.map((branch) => branch.factor);
  return {
    first: unite(...branches.map((branch) => branch.first)),
    degree: Math.max(...branches.map((branch) => branch.degree)),
    factor: ambiguous ? factors.reduce((sum, factor) => sum + factor, 0) : Math.max(...factors),
    ambiguous: ambiguous || branches.some((branch) => branch.ambiguous),
  };
}

function measureAtomic(body: RegexNode, next: Cost, possessive: Possessive): Cost {
  const inner = measure(body, accept, possessive);
  return {
    first: unite(inner.first, next.first),
    degree: Math.max(inner.degree, next.degree),
    factor: inner.factor + next.factor,
    ambiguous: next.ambiguous,
  };
}

function measureRepeat(node: RepeatNode, next: Cost, possessive: Possessive): Cost {
  const { body, min, max } = node;
  if (max === 0) return next;
  const bodyFirst = firstOf(body);
  const clashes = overlaps(bodyFirst, next.first);
  if (node.mode === 'possessive') {
    const canBeHarmless = body.kind === 'set' && !clashes;
    (canBeHarmless ? possessive.seen : possessive.clashing).add(node);
    if (!canBeHarmless)
      return { ...measureAtomic({ ...node, mode: 'greedy' }, next, possessive), first: unite(bodyFirst, next.first) };
  }
  if (min === 1 && max === 1) return measure(body, next, possessive);
  if (min === 0 && max === 1) return measureChoice([measure(body, next, possessive), next]);
  const ambiguous = max > min && clashes;
  const first = min === 0 ? unite(bodyFirst, next.first) : bodyFirst;
  const within = body.kind === 'set' ? undefined : measureRound(body, unite(bodyFirst, next.first), possessive);
  if (max === Infinity) {
    if (within && (ambiguous || within.ambiguous || within.degree > 1)) return { ...next, first, degree: Infinity };
    const degree = ambiguous ? next.degree + 1 : Math.max(1, next.degree);
    return { first, degree, factor: next.factor, ambiguous: ambiguous || next.ambiguous };
  }
  if (within?.ambiguous || (within && within.degree > 1)) return { ...next, first, degree: Infinity };
  return {
    first,
    degree: Math.max(within?.degree ?? 0, next.degree),
    factor: next.factor * (ambiguous ? max - min + 1 : 1),
    ambiguous: ambiguous || next.ambiguous,
  };
}

/** One round of a loop, after which `follow` may come; a round that may match nothing counts as ambiguous. */
function measureRound(body: RegexNode, follow: CharSet, possessive: Possessive): Cost {
  const cost = measure(body, { ...accept, first: follow }, possessive);
  return isNullable(body) ? { ...cost, ambiguous: true } : cost;
}

const firsts = new WeakMap<RegexNode, CharSet>();

/** What a part itself can begin with; kept, since each loop around it asks. */
function firstOf(node: RegexNode): CharSet {
  let first = firsts.get(node);
  if (!first) {
    first = computeFirst(node);
    firsts.set(node, first);
  }
  return first;
}

function computeFirst(node: RegexNode): CharSet {
  switch (node.kind) {
    case 'set':
      return node.set;
    case 'sequence': {
      const opaque = node.items.findIndex((item) => !isNullable(item));
      return unite(...node.items.slice(0, opaque < 0 ? undefined : opaque + 1).map(firstOf));
    }
    case 'choice':
      return unite(...node.branches.map(firstOf));
    case 'group':
    case 'atomic':
    case 'repeat':
      return firstOf(node.body);
    case 'look':
    case 'reference':
      return fullSet;
    case 'anchor':
      return emptySet;
  }
}

/** Whether a part can match nothing. */
function isNullable(node: RegexNode): boolean {
  switch (node.kind) {
    case 'set':
      return false;
    case 'sequence':
      return node.items.every(isNullable);
    case 'choice':
      return node.branches.some(isNullable);
    case 'group':
    case 'atomic':
      return isNullable(node.body);
    case 'repeat':
      return node.min === 0 || isNullable(node.body);
    default:
      return true;
  }
}

function startsAtStart(node: RegexNode): boolean {
  switch (node.kind) {
    case 'anchor':
      return node.at === 'start';
    case 'sequence':
      return node.items.length > 0 && startsAtStart(node.items[0] as RegexNode);
    case 'choice':
      return node.branches.every(startsAtStart);
    case 'group':
      return startsAtStart(node.body);
    default:
      return false;
  }
}

/** Whether the first open loop repeats one set and only optional sets follow, so that a search never starts over. */
function cannotFailAfterLoop(root: RegexNode): boolean {
  const node = root.kind === 'group' ? root.body : root;
  const items = node.kind === 'sequence' ? node.items : [node];
  const loop = items.findIndex((item) => !isPlain(item));
  if (loop < 0) return false;
  return items.slice(loop).every((item, index) => {
    const repeat = item.kind === 'group' ? item.body : item;
    return repeat.kind === 'repeat' && repeat.body.kind === 'set' && (index === 0 || repeat.min === 0);
  });
}

/** A set or a limited repetition of one. */
function isPlain(node: RegexNode): boolean {
  return node.kind === 'set' || (node.kind === 'repeat' && node.max !== Infinity && node.body.kind === 'set');
}

/** Whether the length of what a part matches has a limit. */
export function isBounded(node: RegexNode): boolean {
  switch (node.kind) {
    case 'sequence':
      return node.items.every(isBounded);
    case 'choice':
      return node.branches.every(isBounded);
    case 'group':
    case 'atomic':
      return isBounded(node.body);
    case 'repeat':
      return node.max !== Infinity && isBounded(node.body);
    case 'reference':
      return node.isBounded;
    default:
      return true;
  }
}
