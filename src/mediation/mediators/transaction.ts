import { synapseCodes } from '#errors';
import { Fault } from '../fault.ts';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { synapseElement } from '../reading.ts';
import { beginTransaction, endTransaction, transactionOf } from '../shared/database/transaction-scope.ts';

const actions = ['new', 'use-existing-or-new', 'fault-if-no-tx', 'commit', 'rollback'] as const;
type Action = (typeof actions)[number];

/** `<transaction>`: begins and ends the transaction of the message's database statements (mediators 6.3). */
export const transaction = defineMediator<{ readonly action: Action }>({
  element: 'transaction',
  attributes: ['action'],
  children: [],
  needsBody: () => false,
  parse(node) {
    node.required('action');
    return { action: node.choice('action', actions, 'new') };
  },
  serialize: ({ action }) => synapseElement('transaction', { action }),
  compile: ({ action }): Compiled => flows[action],
});

const flows: Readonly<Record<Action, Compiled>> = {
  new(message) {
    if (transactionOf(message)) throw refused('There is a transaction already, and "new" was asked for');
    beginTransaction(message);
    return CONTINUE;
  },
  'use-existing-or-new'(message) {
    if (!transactionOf(message)) beginTransaction(message);
    return CONTINUE;
  },
  'fault-if-no-tx'(message) {
    if (!transactionOf(message)) throw refused('No transaction is active, and one is required');
    return CONTINUE;
  },
  commit: (message) => endTransaction(message, true).then(() => CONTINUE),
  rollback: (message) => endTransaction(message, false).then(() => CONTINUE),
};

function refused(message: string): Fault {
  return new Fault({ code: synapseCodes.mediation, message });
}
