import { compileJavaRegex } from '#core/java';
import { appendChild } from '#xml';
import type { StepOrComment } from '../context.ts';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { declareNamespaces, readExpression, synapseElement, type ExpressionSource } from '../reading.ts';
import { compileSteps, serializeSteps } from '../sequence.ts';
import { readRegex } from '../shared/regex.ts';

interface Case {
  readonly regex: string;
  readonly steps: readonly StepOrComment[];
}

interface Definition {
  readonly source: ExpressionSource | undefined;
  readonly cases: readonly Case[];
  readonly otherwise: readonly StepOrComment[] | undefined;
}

/** `<switch>`: the first case whose expression matches the whole value (mediators 3.2). */
export const switchMediator = defineMediator<Definition>({
  element: 'switch',
  attributes: ['source'],
  children: ['case', 'default'],
  needsBody: ({ source }) => source?.expression.contentAware ?? false,
  parse(node, context) {
    node.required('source');
    const cases = node.childrenNamed('case').map((child): Case => {
      const regex = child.required('regex');
      return { regex: readRegex(child, 'regex') ? regex : '', steps: context.steps(child) };
    });
    const first = node.child('default');
    return { source: readExpression(node, 'source'), cases, otherwise: first && context.steps(first) };
  },
  serialize({ source, cases, otherwise }) {
    const element = declareNamespaces(synapseElement('switch', { source: source?.text }), [source]);
    for (const { regex, steps } of cases)
      appendChild(element, serializeSteps(synapseElement('case', { regex }), steps));
    if (otherwise) appendChild(element, serializeSteps(synapseElement('default'), otherwise));
    return element;
  },
  compile({ source, cases, otherwise }, context): Compiled {
    const compiled = cases.map(({ regex, steps }, index) => ({
      pattern: compileJavaRegex(regex),
      run: compileSteps(steps, context.at(`case:${index}`)),
    }));
    const fallback = otherwise && compileSteps(otherwise, context.at('default'));
    return (message) => {
      const value = source?.expression.evaluateString(message);
      const match = value === undefined ? undefined : compiled.find(({ pattern }) => pattern.matches(value));
      const run = match?.run ?? fallback;
      return run ? run(message) : CONTINUE;
    };
  },
});
