import type { Message } from '#message';
import type { StepOrComment } from '../context.ts';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type AnyMediatorType } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { compileSteps, serializeSteps } from '../sequence.ts';

/** A list that runs when something holds, and is passed over otherwise. */
function defineList(element: string, holds: (message: Message) => boolean): AnyMediatorType {
  return defineMediator<{ readonly steps: readonly StepOrComment[] }>({
    element,
    attributes: [],
    needsBody: () => false,
    parse: (node, context) => ({ steps: context.steps(node) }),
    serialize: ({ steps }) => serializeSteps(synapseElement(element), steps),
    compile({ steps }, context) {
      const run = compileSteps(steps, context);
      return (message) => (holds(message) ? run(message) : CONTINUE);
    },
  });
}

/** `<in>`: mediators for requests (mediators 3.4). */
export const inMediator = defineList('in', (message) => !message.response);

/** `<out>`: mediators for answers. */
export const outMediator = defineList('out', (message) => message.response);

/** `<synapse>`: a plain list in a list. */
export const synapse = defineList('synapse', () => true);
