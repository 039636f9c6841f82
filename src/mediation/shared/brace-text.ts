import {
  compileExpression,
  compileInlineTemplate,
  ExpressionError,
  type Expression,
  type InlineTemplate,
} from '#expression';

/** `{expression}` without blanks, quotes of JSON and markup in it, so that the braces of JSON itself do not count. */
const bracePattern = /(?<!\$)\{[^\s",<>{}\]]+\}/g;

/**
 * Compiles a text in which `${…}` and `{…}` are replaced by their values (mediators 4.2). Braces around something that
 * is no expression stay as they are.
 *
 * @throws ExpressionError for a syntax error in `${…}`
 */
export function compileBraceText(text: string, namespaces: ReadonlyMap<string, string>): InlineTemplate {
  const parts: InlineTemplate[] = [];
  let end = 0;
  for (const match of text.matchAll(bracePattern)) {
    const expression = expressionIn(match[0].slice(1, -1), namespaces);
    if (!expression) continue;
    parts.push(compileInlineTemplate(text.slice(end, match.index), { namespaces }));
    parts.push({
      contentAware: expression.contentAware,
      evaluate: (scope) => expression.evaluateString(scope) ?? '',
    });
    end = match.index + match[0].length;
  }
  parts.push(compileInlineTemplate(text.slice(end), { namespaces }));
  return {
    contentAware: parts.some((part) => part.contentAware),
    evaluate: (scope) => parts.map((part) => part.evaluate(scope)).join(''),
  };
}

function expressionIn(text: string, namespaces: ReadonlyMap<string, string>): Expression | undefined {
  try {
    return compileExpression(text, { namespaces });
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return undefined;
  }
}
