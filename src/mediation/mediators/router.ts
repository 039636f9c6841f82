import { compileJavaRegex } from '#core/java';
import { appendChild, type SourceNode } from '#xml';
import type { ParseContext } from '../context.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { declareNamespaces, readExpression, synapseElement, type ExpressionSource } from '../reading.ts';
import { readRegex } from '../shared/regex.ts';
import { compileTarget, readOnlyTarget, serializeTarget, type Target } from '../shared/target.ts';

interface Route {
  readonly expression: ExpressionSource | undefined;
  readonly match: string | undefined;
  readonly breaks: boolean;
  readonly target: Target | undefined;
}

interface Definition {
  readonly continueAfter: boolean;
  readonly routes: readonly Route[];
}

/** `<router>`: the target of the first route whose expression matches; of the language's older days (mediators 3.4). */
export const router = defineMediator<Definition>({
  element: 'router',
  attributes: ['continueAfter'],
  children: ['route'],
  needsBody: ({ routes }) => routes.some(({ expression }) => expression?.expression.contentAware === true),
  parse(node, context) {
    const routes = node.childrenNamed('route').map((child) => readRoute(child, context));
    if (routes.length === 0) node.error('<router> needs at least one <route>', { code: 'MR_ARTIFACT_CHILD' });
    return { continueAfter: node.flag('continueAfter', false), routes };
  },
  serialize({ continueAfter, routes }) {
    const element = synapseElement('router', { continueAfter: continueAfter || undefined });
    for (const { expression, match, breaks, target } of routes) {
      const attributes = { expression: expression?.text, match, breakRouter: breaks ? undefined : false };
      const child = declareNamespaces(synapseElement('route', attributes), [expression]);
      if (target) appendChild(child, serializeTarget(target));
      appendChild(element, child);
    }
    return element;
  },
  compile({ continueAfter, routes }, context): Compiled {
    const compiled = routes.map(({ expression, match, breaks, target }, index) => ({
      expression,
      pattern: match === undefined ? undefined : compileJavaRegex(match),
      breaks,
      run: target ? compileTarget(target, context.at(`route:${index}`)) : () => CONTINUE,
    }));
    const after = continueAfter ? CONTINUE : STOP;
    const runFrom = (message: Parameters<Compiled>[0], first: number): Flow | Promise<Flow> => {
      for (let index = first; index < compiled.length; index++) {
        const { expression, pattern, breaks, run } = compiled[index] as (typeof compiled)[number];
        const value = expression?.expression.evaluateString(message) ?? '';
        if (!(pattern ? pattern.matches(value) : value !== '')) continue;
        const flow = run(message);
        if (typeof flow !== 'boolean') return flow.then(() => (breaks ? after : runFrom(message, index + 1)));
        if (breaks) return after;
      }
      return CONTINUE;
    };
    return (message) => runFrom(message, 0);
  },
});

function readRoute(node: SourceNode, context: ParseContext): Route {
  node.knowOnly(['expression', 'match', 'breakRouter']);
  node.knowOnlyChildren(['target']);
  node.required('expression');
  if (node.attribute('match') !== undefined) readRegex(node, 'match');
  return {
    expression: readExpression(node, 'expression'),
    match: node.attribute('match'),
    breaks: node.flag('breakRouter', true),
    target: readOnlyTarget(node, context),
  };
}
