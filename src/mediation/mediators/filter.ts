import { compileJavaRegex, type JavaRegex } from '#core/java';
import type { SourceNode } from '#xml';
import type { ParseContext, StepOrComment } from '../context.ts';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { declareNamespaces, readExpression, synapseElement, type ExpressionSource } from '../reading.ts';
import { readRegex } from '../shared/regex.ts';
import { branchTarget, readBranch, serializeBranch, type Branch } from '../shared/branch.ts';

interface Definition {
  readonly xpath: ExpressionSource | undefined;
  readonly source: ExpressionSource | undefined;
  readonly regex: string | undefined;
  /** True when `<then>` was written; otherwise the direct children are the branch. */
  readonly explicitThen: boolean;
  readonly whenTrue: Branch;
  readonly otherwise: Branch | undefined;
}

/** `<filter>`: one of two branches by a condition (mediators 3.1). */
export const filter = defineMediator<Definition>({
  element: 'filter',
  attributes: ['source', 'regex', 'xpath'],
  needsBody: ({ xpath, source }) => (xpath ?? source)?.expression.contentAware ?? false,
  parse(node, context) {
    const xpath = readExpression(node, 'xpath');
    const source = readExpression(node, 'source');
    const regex = node.attribute('regex');
    if (node.attribute('xpath') === undefined && (node.attribute('source') === undefined || regex === undefined)) {
      node.error('<filter> needs either "xpath", or "source" with "regex"', { code: 'MR_ARTIFACT_ATTRIBUTE' });
    }
    readRegex(node, 'regex');
    const thenNode = node.child('then');
    const elseNode = node.child('else');
    return {
      xpath,
      source,
      regex,
      explicitThen: thenNode !== undefined,
      whenTrue: thenNode ? readBranch(thenNode, context) : directBranch(node, context),
      otherwise: thenNode && elseNode ? readBranch(elseNode, context) : undefined,
    };
  },
  serialize({ xpath, source, regex, explicitThen, whenTrue, otherwise }) {
    const element = synapseElement('filter', { source: source?.text, regex, xpath: xpath?.text });
    declareNamespaces(element, [xpath, source]);
    return explicitThen
      ? serializeBranch(element, 'then', whenTrue, otherwise && ['else', otherwise])
      : serializeBranch(element, undefined, whenTrue);
  },
  compile(definition, context): Compiled {
    const holds = compileCondition(definition);
    const whenTrue = branchTarget(definition.whenTrue, context.at('then'));
    const otherwise = definition.otherwise && branchTarget(definition.otherwise, context.at('else'));
    return (message) => {
      const target = holds(message) ? whenTrue : otherwise;
      return target ? target(message) : CONTINUE;
    };
  },
});

function directBranch(node: SourceNode, context: ParseContext): Branch {
  const steps: readonly StepOrComment[] = context.steps(node);
  return { key: undefined, steps };
}

function compileCondition({ xpath, source, regex }: Definition): (message: Parameters<Compiled>[0]) => boolean {
  if (xpath?.expression.language === 'xpath') return (message) => xpath.expression.evaluateBoolean(message);
  // JSONPath and Synapse expressions hold only when they say true, in any case: a number or an object does not.
  if (xpath) return (message) => /^true$/i.test(xpath.expression.evaluateString(message) ?? '');
  const pattern: JavaRegex = compileJavaRegex(regex ?? '');
  return (message) => {
    const value = source?.expression.evaluateString(message);
    return value !== undefined && pattern.matches(value);
  };
}
