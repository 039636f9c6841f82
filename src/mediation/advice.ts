import type { Position } from '#errors';
import type { CompileContext } from './context.ts';
import type { Compiled, Step } from './mediator.ts';

/** Which mediator it is that somebody wants to look at. */
export interface MediatorPlace {
  /** Identity such as `api:Orders/resource:0/in/2/then/0`. */
  readonly id: string;
  readonly element: string;
  readonly position: Position;
}

/** Looks at mediators while they run: counters, traces, a debugger. Without one nothing is wrapped. */
export interface Advice {
  /** What runs instead of a mediator; called when it is compiled. */
  around(run: Compiled, place: MediatorPlace): Compiled;
}

/** Compiles a mediator, wrapped when somebody looks on. */
export function compileStep(step: Step, context: CompileContext): Compiled {
  const run = step.compile(context);
  const { advice } = context.services;
  return advice ? advice.around(run, { id: context.id, element: step.element, position: step.position }) : run;
}
