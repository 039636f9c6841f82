/**
 * A path with wildcards: `<name>` stands for one name that the file chooses, `<a|b>` for one of these. With `tail` a
 * wildcard at the end takes dots too, since free properties have dotted names.
 */
export class PathPattern {
  readonly path: string;
  readonly #prefix: string;
  readonly #tail: boolean;
  #expression: RegExp | undefined;

  constructor(path: string, tail = false) {
    this.path = path;
    this.#prefix = path.split('<', 1)[0] ?? '';
    this.#tail = tail;
  }

  matches(path: string): boolean {
    if (!this.path.includes('<')) return path === this.path;
    return path.startsWith(this.#prefix) && this.#compiled().test(path);
  }

  /** The name that the first wildcard stands for in `path`; undefined when the path does not match. */
  nameIn(path: string): string | undefined {
    return path.startsWith(this.#prefix) ? this.#compiled().exec(path)?.[1] : undefined;
  }

  /** How general the pattern is: names count, and a free end counts most. */
  get generality(): number {
    return this.path.split('<').length + (this.path.endsWith('>') ? 1 : 0);
  }

  /** Compiled when a path first comes near: most files use few of the patterns. */
  #compiled(): RegExp {
    this.#expression ??= expressionOf(this.path, this.#tail);
    return this.#expression;
  }
}

function expressionOf(path: string, tail: boolean): RegExp {
  const steps = path.split(/(<[^>]*>)/);
  const source = steps.map((step, index) => {
    if (!step.startsWith('<')) return step.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
    if (step.includes('|')) return `(${step.slice(1, -1)})`;
    const isLast = tail && index === steps.length - 2 && steps.at(-1) === '';
    return isLast ? '(.+)' : '([^.]+)';
  });
  return new RegExp(`^${source.join('')}$`);
}
