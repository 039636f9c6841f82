import { ExpressionError } from '../error.ts';

export interface LiteralNode {
  readonly kind: 'literal';
  /** Without the final `*`. */
  readonly text: string;
  /** True when the rest of the path belongs to it. */
  readonly wildcard: boolean;
}

export interface TemplateVariable {
  readonly name: string;
  /** Exact length of the decoded value. */
  readonly length: number | undefined;
}

export interface ExpressionNode {
  readonly kind: 'expression';
  /** Character that must come first, else the expression takes nothing; empty for the kinds without one. */
  readonly lead: string;
  readonly separator: string;
  readonly stopsAtReserved: boolean;
  readonly variables: readonly TemplateVariable[];
}

export type PathNode = LiteralNode | ExpressionNode;

type Kind = Pick<ExpressionNode, 'lead' | 'separator' | 'stopsAtReserved'>;

/** The operators that paths know (runtime-core 2.7). */
const kinds: Readonly<Record<string, Kind>> = {
  '': { lead: '', separator: ',', stopsAtReserved: true },
  '+': { lead: '', separator: ',', stopsAtReserved: false },
  '#': { lead: '#', separator: ',', stopsAtReserved: false },
  '.': { lead: '.', separator: '.', stopsAtReserved: true },
  '/': { lead: '/', separator: '/', stopsAtReserved: true },
};

/**
 * Splits the template of a resource into literals and expressions (runtime-core 2.7); one slash at the end is dropped.
 *
 * @throws ExpressionError with the offset, for everything that fails deployment in the original
 */
export function parsePathTemplate(source: string): readonly PathNode[] {
  const text = source.length > 1 && source.endsWith('/') ? source.slice(0, -1) : source;
  const nodes: PathNode[] = [];
  let at = 0;
  while (at < text.length) {
    const brace = text.slice(at).search(/[{}]/);
    const end = brace < 0 ? text.length : at + brace;
    if (end > at) nodes.push(literal(text.slice(at, end)));
    if (end === text.length) break;
    if (text.charAt(end) === '}') throw new ExpressionError('found "}" without a "{" before', end);
    if (end === 0) throw new ExpressionError('expected a template that starts with "/" but found "{"', 0);
    at = addExpression(nodes, text, end);
  }
  return nodes;
}

function literal(text: string): LiteralNode {
  const wildcard = text.endsWith('*');
  return { kind: 'literal', text: wildcard ? text.slice(0, -1) : text, wildcard };
}

/** Adds the expression whose brace stands at `open`; returns the offset behind it. */
function addExpression(nodes: PathNode[], text: string, open: number): number {
  const close = text.slice(open + 1).search(/[{}]/);
  if (close < 0 || open >= text.length - 2) throw new ExpressionError('expected "}" behind this "{"', open);
  const end = open + 1 + close;
  if (text.charAt(end) === '{') throw new ExpressionError('expected "}" but found another "{"', end);
  if (close === 0) throw new ExpressionError('expected the name of a variable between "{" and "}"', open + 1);
  nodes.push(expression(text.slice(open + 1, end), open + 1));
  return end + 1;
}

function expression(body: string, offset: number): ExpressionNode {
  const sign = /^[+#./;?&]/.exec(body)?.[0] ?? '';
  const kind = kinds[sign];
  if (!kind) throw new ExpressionError(`Unsupported template expression "{${body}}"`, offset);
  let at = offset + sign.length;
  const variables = body
    .slice(sign.length)
    .split(',')
    .map((spec): TemplateVariable => {
      const match = /^([A-Za-z0-9._-]+)(?::([0-9]{1,6}))?$/.exec(spec);
      if (!match) throw variableError(spec, at);
      at += spec.length + 1;
      return { name: match[1] ?? '', length: match[2] === undefined ? undefined : Number(match[2]) };
    });
  return { kind: 'expression', ...kind, variables };
}

function variableError(spec: string, offset: number): ExpressionError {
  const good = /^[A-Za-z0-9._-]*/.exec(spec)?.[0].length ?? 0;
  const found = spec === '' ? 'nothing' : `"${spec.slice(good, good + 1)}"`;
  return new ExpressionError(
    `expected letters, digits, ".", "-" or "_" in a variable's name but found ${found}`,
    offset + good,
  );
}
