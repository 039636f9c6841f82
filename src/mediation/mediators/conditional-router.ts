import type { Message } from '#message';
import { appendChild, type SourceNode } from '#xml';
import type { ParseContext } from '../context.ts';
import { CONTINUE, STOP, type Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { readRemarks, restoreRemarks, type Remarks } from '../remarks.ts';
import { readCondition, type Evaluator } from '../shared/evaluator.ts';
import { compileTarget, readOnlyTarget, serializeTarget, type Target } from '../shared/target.ts';
import { copyForBranch, Split } from '../split.ts';

interface Route {
  readonly breaks: boolean;
  readonly isAsynchronous: boolean;
  readonly condition: Evaluator | undefined;
  readonly target: Target | undefined;
  /** Comments in the route and in its condition. */
  readonly remarks: readonly (Remarks | undefined)[];
}

interface Definition {
  readonly continueAfter: boolean;
  readonly routes: readonly Route[];
}

interface CompiledRoute {
  readonly breaks: boolean;
  readonly isAsynchronous: boolean;
  holds(message: Message): boolean;
  readonly run: Compiled;
}

/** `<conditionalRouter>`: the targets of the routes whose conditions hold (mediators 3.3). */
export const conditionalRouter = defineMediator<Definition>({
  element: 'conditionalRouter',
  attributes: ['continueAfter'],
  children: ['conditionalRoute'],
  needsBody: ({ routes }) =>
    routes.some(({ condition, isAsynchronous }) => isAsynchronous || condition?.contentAware === true),
  parse(node, context) {
    const routes = node.childrenNamed('conditionalRoute').map((child) => readRoute(child, context));
    if (routes.length === 0) {
      node.error('<conditionalRouter> needs at least one <conditionalRoute>', { code: 'MR_ARTIFACT_CHILD' });
    }
    return { continueAfter: node.strictFlag('continueAfter', false), routes };
  },
  serialize({ continueAfter, routes }) {
    const element = synapseElement('conditionalRouter', { continueAfter: continueAfter || undefined });
    for (const { breaks, isAsynchronous, condition, target, remarks } of routes) {
      const route = synapseElement('conditionalRoute', {
        breakRoute: breaks ? undefined : false,
        asynchronous: isAsynchronous || undefined,
      });
      if (condition) {
        const child = synapseElement('condition', {}, [condition.serialize()]);
        appendChild(route, restoreRemarks(child, remarks[1]));
      }
      if (target) appendChild(route, serializeTarget(target));
      appendChild(element, restoreRemarks(route, remarks[0]));
    }
    return element;
  },
  compile({ continueAfter, routes }, context): Compiled {
    const compiled = routes.map(({ breaks, isAsynchronous, condition, target }, index): CompiledRoute => ({
      breaks,
      isAsynchronous,
      holds: (message) => condition?.evaluate({ message, url: message.addressing.to ?? '' }) ?? false,
      run: target ? compileTarget(target, context.at(`route:${index}`)) : () => CONTINUE,
    }));
    const { branchPool } = context.services;
    const after = continueAfter ? CONTINUE : STOP;
    const runFrom = (message: Message, first: number): Flow | Promise<Flow> => {
      for (let index = first; index < compiled.length; index++) {
        const route = compiled[index] as CompiledRoute;
        if (!route.holds(message)) continue;
        if (route.isAsynchronous) new Split(message).start(copyForBranch(message), route.run, branchPool);
        else {
          // What a route says about its own flow counts for the route only (mediators 3.3).
          const flow = route.run(message);
          if (typeof flow !== 'boolean') return flow.then(() => (route.breaks ? after : runFrom(message, index + 1)));
        }
        if (route.breaks) break;
      }
      return after;
    };
    return (message) => runFrom(message, 0);
  },
});

function readRoute(node: SourceNode, context: ParseContext): Route {
  node.knowOnly(['breakRoute', 'asynchronous']);
  node.knowOnlyChildren(['condition', 'target']);
  const condition = node.child('condition');
  if (!condition) node.error('<conditionalRoute> needs a <condition>', { code: 'MR_ARTIFACT_CHILD' });
  return {
    breaks: node.strictFlag('breakRoute', true),
    isAsynchronous: node.strictFlag('asynchronous', false),
    condition: condition && readCondition(condition),
    target: readOnlyTarget(node, context),
    remarks: [readRemarks(node), condition && readRemarks(condition)],
  };
}
