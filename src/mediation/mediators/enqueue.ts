import { CONTINUE, type Flow } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { sequenceReference } from '../shared/branch.ts';

interface Definition {
  readonly sequence: string;
  readonly executor: string;
  readonly priority: number | undefined;
}

/** `<enqueue>`: runs a sequence by a priority executor; where none has the name, at once (mediators 3.4). */
export const enqueue = defineMediator<Definition>({
  element: 'enqueue',
  attributes: ['sequence', 'executor', 'priority'],
  children: [],
  needsBody: () => false,
  parse(node, context) {
    const sequence = node.required('sequence');
    if (sequence !== '') context.refer({ kind: 'sequence', key: sequence, node, attribute: 'sequence' });
    return { sequence, executor: node.required('executor'), priority: node.integer('priority', 0) };
  },
  serialize: ({ sequence, executor, priority }) => synapseElement('enqueue', { sequence, executor, priority }),
  compile({ sequence, executor }, context): Compiled {
    const run = sequenceReference(sequence, context);
    const { log } = context.services;
    return (message): Flow | Promise<Flow> => {
      log.warn({ executor, at: context.id }, 'there is no priority executor of that name; its sequence runs at once');
      message.waits();
      const flow = run(message);
      return typeof flow === 'boolean' ? CONTINUE : flow.then(() => CONTINUE);
    };
  },
});
