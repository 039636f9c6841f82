import type { XPathAst } from './ast.ts';
import { messageVariables } from './message-variables.ts';

/** True when the expression calls the function `name`, not counting the predicates of paths within it. */
export function usesFunction(ast: XPathAst, name: string): boolean {
  if (ast.kind === 'call' && ast.name === name) return true;
  return operandsOf(ast).some((operand) => usesFunction(operand, name));
}

/** True when evaluating reads the message body: a path from the envelope, or one of its variables. */
export function isContentAware(ast: XPathAst): boolean {
  switch (ast.kind) {
    case 'variable':
      return ast.prefix === '' && messageVariables.has(ast.name);
    case 'path':
      if (typeof ast.start === 'string') return true;
      return isContentAware(ast.start) || ast.steps.some((step) => step.predicates.some((each) => readsRoot(each)));
    case 'filter':
      return isContentAware(ast.primary) || ast.predicates.some((each) => readsRoot(each));
    case 'call':
      if (ast.args.length === 0 && contextFunctions.has(ast.name)) return true;
      return ast.args.some((argument) => isContentAware(argument));
    default:
      return operandsOf(ast).some((operand) => isContentAware(operand));
  }
}

/** Functions that without arguments look at the context node. */
const contextFunctions: ReadonlySet<string> = new Set([
  'string',
  'number',
  'name',
  'local-name',
  'namespace-uri',
  'normalize-space',
  'string-length',
]);

/** Inside predicates of a variable's nodes, relative paths do not reach the message but its own variables do. */
function readsRoot(ast: XPathAst): boolean {
  if (ast.kind === 'variable') return ast.prefix === '' && messageVariables.has(ast.name);
  const inSteps = ast.kind === 'path' && ast.steps.some((step) => step.predicates.some((each) => readsRoot(each)));
  return inSteps || operandsOf(ast).some((operand) => readsRoot(operand));
}

function operandsOf(ast: XPathAst): readonly XPathAst[] {
  switch (ast.kind) {
    case 'logical':
    case 'compare':
    case 'arithmetic':
    case 'union':
      return [ast.left, ast.right];
    case 'negate':
      return [ast.operand];
    case 'call':
      return ast.args;
    case 'filter':
      return [ast.primary, ...ast.predicates];
    case 'path':
      return typeof ast.start === 'string' ? [] : [ast.start];
    default:
      return [];
  }
}
