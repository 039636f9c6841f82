import { LateParameter, type Message } from '#message';
import type { ExpressionSource } from '../reading.ts';

/**
 * The expression to look for elements with. Where an artifact says nothing but `$func:name`, and the caller of the
 * template passed an expression in double braces, it is that one (mediators 2.7): its text would find no elements.
 */
export function lateExpression(source: ExpressionSource): (message: Message) => ExpressionSource {
  const name = /^\s*\$func:([\w.-]+)\s*$/.exec(source.text)?.[1];
  if (name === undefined) return () => source;
  return ({ frame }) => {
    const parameter = frame?.parameters.get(name);
    const expression = parameter instanceof LateParameter ? parameter.expression : undefined;
    return expression ? { ...source, expression } : source;
  };
}
