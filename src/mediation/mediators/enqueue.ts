import { libraryOf } from '../context.ts';
import { CONTINUE, type Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { sequenceReference } from '../shared/branch.ts';
import { copyForBranch, Split } from '../split.ts';

interface Definition {
  readonly sequence: string;
  readonly executor: string;
  readonly priority: number | undefined;
}

/**
 * `<enqueue>`: hands a copy of the message to a priority executor, which runs a sequence on it, and goes on; where there
 * is no executor of the name the sequence runs at once (mediators 3.4).
 */
export const enqueue = defineMediator<Definition>({
  element: 'enqueue',
  attributes: ['sequence', 'executor', 'priority'],
  children: [],
  // What waits in a queue must not hold its connection.
  needsBody: () => true,
  parse(node, context) {
    const sequence = node.required('sequence');
    if (sequence !== '') context.refer({ kind: 'sequence', key: sequence, node, attribute: 'sequence' });
    return { sequence, executor: node.required('executor'), priority: node.integer('priority', 0) };
  },
  serialize: ({ sequence, executor, priority }) => synapseElement('enqueue', { sequence, executor, priority }),
  compile({ sequence, executor, priority = 0 }, context): Compiled {
    const run = sequenceReference(sequence, context);
    const { log } = context.services;
    return (message): Flow | Promise<Flow> => {
      const workers = libraryOf(message).priorityExecutor(executor)?.at(priority);
      message.waits();
      if (workers) {
        const split = new Split(message);
        const copy = copyForBranch(message);
        copy.place = null;
        split.enter();
        split.start(copy, run, workers);
        split.leave();
        return CONTINUE;
      }
      log.warn({ executor, at: context.id }, 'there is no priority executor of that name; its sequence runs at once');
      const flow = run(message);
      return typeof flow === 'boolean' ? CONTINUE : flow.then(() => CONTINUE);
    };
  },
});
