import { wordChars } from './char-names.ts';
import { type CharSet, singleOf } from './char-set.ts';
import type { AnchorKind, RegexNode, RepeatNode } from './syntax.ts';

/** How an engine spells what differs between them. */
interface Dialect {
  readonly codePoint: (code: number) => string;
  readonly anchors: Readonly<Record<AnchorKind, string>>;
}

const lineEnd = '[\\n\\r\\u0085\\u2028\\u2029]';
const word = `[${rangesOf(wordChars, hexOfV8)}]`;

const v8: Dialect = {
  codePoint: hexOfV8,
  anchors: {
    start: '(?<![^])',
    end: '(?![^])',
    finalEnd: `(?=(?:\\r\\n|(?<!\\r)\\n|[\\r\\u0085\\u2028\\u2029])?(?![^]))`,
    lineStart: `(?:(?<![^])|(?<=${lineEnd})(?<!\\r(?=\\n)))(?=[^])`,
    lineEnd: `(?=(?<!\\r)\\n|[\\r\\u0085\\u2028\\u2029]|(?![^]))`,
    word: `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`,
    notWord: `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`,
  },
};

const linear: Dialect = {
  codePoint: (code) => `\\x{${code.toString(16)}}`,
  anchors: {
    start: '\\A',
    end: '\\z',
    finalEnd: '\\z',
    lineStart: '(?m:^)',
    lineEnd: '(?m:$)',
    word: '\\b',
    notWord: '\\B',
  },
};

const linearBeforeBreak: Dialect = { ...linear, anchors: { ...linear.anchors, finalEnd: '(?m:$)' } };

/** The pattern for V8, to be compiled with the flag `u`. */
export function emitV8(node: RegexNode, harmless: ReadonlySet<RepeatNode>): string {
  return new Emitter(v8, harmless).emit(node);
}

export interface LinearSource {
  /** `$` stands for the end only. */
  readonly source: string;
  /** `$` also stands before each `\n`; for texts with one at the end only. Undefined when there is no `$`. */
  readonly beforeBreak: string | undefined;
}

/** The pattern for the linear engine, whose `(?m)` knows `\n` only, or the first part that it cannot do. */
export function emitLinear(
  node: RegexNode,
  harmless: ReadonlySet<RepeatNode>,
): LinearSource | { readonly unsupported: RegexNode } {
  const emitter = new Emitter(linear, harmless);
  const source = emitter.emit(node);
  if (emitter.unsupported) return { unsupported: emitter.unsupported };
  const beforeBreak = new Emitter(linearBeforeBreak, harmless).emit(node);
  return { source, beforeBreak: beforeBreak === source ? undefined : beforeBreak };
}

class Emitter {
  unsupported: RegexNode | undefined;
  readonly #dialect: Dialect;
  readonly #harmless: ReadonlySet<RepeatNode>;
  readonly #isLinear: boolean;
  #atomics = 0;

  constructor(dialect: Dialect, harmless: ReadonlySet<RepeatNode>) {
    this.#dialect = dialect;
    this.#harmless = harmless;
    this.#isLinear = dialect !== v8;
  }

  emit(node: RegexNode): string {
    switch (node.kind) {
      case 'set':
        return this.#emitSet(node.set);
      case 'sequence':
        return node.items.map((item) => (item.kind === 'choice' ? `(?:${this.emit(item)})` : this.emit(item))).join('');
      case 'choice':
        return node.branches.map((branch) => this.emit(branch)).join('|');
      case 'group':
        // Named, since groups that stand for atomic ones would shift numbers.
        return this.#isLinear ? `(${this.emit(node.body)})` : `(?<g${node.index}>${this.emit(node.body)})`;
      case 'repeat':
        return this.#emitRepeat(node);
      case 'look':
        this.#mark(node);
        return `(?${node.ahead ? '' : '<'}${node.negative ? '!' : '='}${this.emit(node.body)})`;
      case 'atomic':
        this.#mark(node);
        return this.#emitAtomic(this.emit(node.body));
      case 'reference':
        this.#mark(node);
        return `\\k<g${node.index}>`;
      case 'anchor':
        return this.#dialect.anchors[node.at];
    }
  }

  #mark(node: RegexNode): void {
    if (this.#isLinear) this.unsupported ??= node;
  }

  #emitSet(set: CharSet): string {
    const code = singleOf(set);
    if (code !== undefined) return this.#dialect.codePoint(code);
    if (set.length === 0) return this.#isLinear ? '[^\\x{0}-\\x{10FFFF}]' : '[]';
    return `[${rangesOf(set, this.#dialect.codePoint)}]`;
  }

  #emitRepeat(node: RepeatNode): string {
    const { min, max, mode } = node;
    if (this.#isLinear && Math.max(min, max === Infinity ? 0 : max) > 1000) this.unsupported ??= node;
    const range = max === Infinity ? `{${min},}` : min === max ? `{${min}}` : `{${min},${max}}`;
    const sign = min === 0 && max === 1 ? '?' : max === Infinity && min < 2 ? (min === 0 ? '*' : '+') : range;
    const body = node.body.kind === 'set' ? this.emit(node.body) : `(?:${this.emit(node.body)})`;
    const isAtomic = mode === 'possessive' && !this.#harmless.has(node);
    if (!isAtomic) return body + sign + (mode === 'lazy' ? '?' : '');
    this.#mark(node);
    return this.#emitAtomic(body + sign);
  }

  /** A look-ahead is not entered again, and its group then takes what it saw. */
  #emitAtomic(body: string): string {
    const name = `atomic${++this.#atomics}`;
    return `(?=(?<${name}>${body}))\\k<${name}>`;
  }
}

function rangesOf(set: CharSet, codePoint: (code: number) => string): string {
  return set.map(([low, high]) => (low === high ? codePoint(low) : `${codePoint(low)}-${codePoint(high)}`)).join('');
}

function hexOfV8(code: number): string {
  if (/[A-Za-z0-9_ ]/.test(String.fromCodePoint(code))) return String.fromCodePoint(code);
  return `\\u{${code.toString(16)}}`;
}
