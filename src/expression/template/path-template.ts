import { parsePathTemplate, type ExpressionNode, type LiteralNode, type PathNode } from './path-template-parse.ts';

/** A compiled template of a resource. */
export interface PathTemplate {
  /** The variables of a raw path with its query, or undefined when it does not match. */
  readonly match: (path: string) => ReadonlyMap<string, string> | undefined;
}

export interface PathTemplateOptions {
  /** False when sub-delimiters may stand in values (`synapse.allow.subdelims`); true when absent. */
  readonly reserveSubDelimiters?: boolean;
}

const generalDelimiters: ReadonlySet<string> = new Set(':/?#[]@');
const allDelimiters: ReadonlySet<string> = new Set(":/?#[]@!$&'()*+,;=");
const noVariables: ReadonlyMap<string, string> = new Map();

/**
 * Compiles the URI template of a resource to a matcher that reads the path once from left to right (runtime-core 2.7).
 *
 * @throws ExpressionError with the offset
 */
export function compilePathTemplate(text: string, options: PathTemplateOptions = {}): PathTemplate {
  const nodes = parsePathTemplate(text);
  const reserved = options.reserveSubDelimiters === false ? generalDelimiters : allDelimiters;
  const takesQuery = nodes.some((node) => node.kind === 'literal' && node.text.includes('?'));
  return {
    match: (path) => {
      const run = new Matcher(path, reserved);
      return run.nodes(nodes) && isTolerated(path, run.at, takesQuery) ? run.variables : undefined;
    },
  };
}

/** What may follow the last node: one slash, and a query unless the template speaks of queries itself. */
function isTolerated(path: string, at: number, takesQuery: boolean): boolean {
  const end = path.charAt(at) === '/' ? at + 1 : at;
  return end === path.length || (!takesQuery && path.charAt(end) === '?');
}

/** One attempt to match; it goes forward only. */
class Matcher {
  readonly #path: string;
  readonly #reserved: ReadonlySet<string>;
  #values: Map<string, string> | undefined;
  at = 0;

  constructor(path: string, reserved: ReadonlySet<string>) {
    this.#path = path;
    this.#reserved = reserved;
  }

  get variables(): ReadonlyMap<string, string> {
    return this.#values ?? noVariables;
  }

  nodes(nodes: readonly PathNode[]): boolean {
    for (let index = 0; index < nodes.length; index++) {
      const node = nodes[index];
      if (!node) return false;
      const start = this.at;
      const isMatch = node.kind === 'literal' ? this.#literal(node) : this.#expression(node, nodes[index + 1]);
      if (!isMatch) return false;
      if (this.at === this.#path.length) return this.#isComplete(nodes, index, start);
    }
    return true;
  }

  /** Whether a path that ends after the node at `index` matches although nodes may be left. */
  #isComplete(nodes: readonly PathNode[], index: number, start: number): boolean {
    const next = nodes[index + 1];
    if (!next) return true;
    if (next.kind === 'literal')
      return next.wildcard && (next.text === '' || next.text === '/') && index + 2 === nodes.length;
    // The last query parameter may be empty: `?a={+a}` matches `?a=`.
    if (this.#path.indexOf('=', start) < 0 || index + 2 < nodes.length) return false;
    return next.variables.every(({ name, length }) => (length ?? 0) === 0 && this.#set(name, ''));
  }

  #literal({ text, wildcard }: LiteralNode): boolean {
    if (!this.#path.startsWith(text, this.at)) return false;
    this.at = wildcard ? this.#path.length : this.at + text.length;
    return true;
  }

  #expression(node: ExpressionNode, next: PathNode | undefined): boolean {
    let start = this.at;
    if (node.lead !== '') {
      if (this.#path.charAt(start) !== node.lead) return true;
      start++;
    }
    const end = this.#endOf(node, start, firstCharacter(next));
    this.at = end;
    const [only] = node.variables;
    if (node.variables.length === 1 && only) return this.#assign(only.name, only.length, this.#path.slice(start, end));
    const parts = this.#path.slice(start, end).split(node.separator);
    if (parts.length > node.variables.length) return false;
    return node.variables.every(({ name, length }, index) => this.#assign(name, length, parts[index] ?? ''));
  }

  #endOf(node: ExpressionNode, start: number, stop: string): number {
    const skipped = node.variables.length > 1 ? node.separator : '';
    let end = start;
    for (; end < this.#path.length; end++) {
      const character = this.#path.charAt(end);
      if (character === stop) break;
      if (node.stopsAtReserved && character !== skipped && this.#reserved.has(character)) break;
    }
    return end;
  }

  #assign(name: string, length: number | undefined, raw: string): boolean {
    const value = decoded(raw);
    return value !== undefined && (length === undefined || value.length === length) && this.#set(name, value);
  }

  /** A name that was used before must have had the same value. */
  #set(name: string, value: string): boolean {
    this.#values ??= new Map();
    const earlier = this.#values.get(name);
    if (earlier !== undefined) return earlier === value;
    this.#values.set(name, value);
    return true;
  }
}

/** The character at which a value ends because the next node begins with it. */
function firstCharacter(node: PathNode | undefined): string {
  if (!node) return '';
  return node.kind === 'expression' ? node.lead : node.text.charAt(0);
}

/** Percent-decoded UTF-8, `+` staying as it is; undefined for malformed escapes. */
function decoded(raw: string): string | undefined {
  if (!raw.includes('%')) return raw;
  if (/%(?![0-9A-Fa-f]{2})/.test(raw)) return undefined;
  return raw.replace(/(?:%[0-9A-Fa-f]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
}
