import { compileJavaRegex, type JavaRegex } from '#core/java';
import { messageOf } from '#errors';
import type { SourceNode } from '#xml';

/** Compiles the regular expression of an attribute; a syntax error is reported at the attribute. */
export function readRegex(node: SourceNode, attribute: string): JavaRegex | undefined {
  const text = node.attribute(attribute);
  if (text === undefined) return undefined;
  try {
    return compileJavaRegex(text);
  } catch (error) {
    node.error(`"${attribute}" is not a regular expression: ${messageOf(error)}`, { attribute, code: 'MR_REGEX' });
    return undefined;
  }
}
