import type { XmlElement } from '#xml';
import type { Operation } from './operations.ts';

/** Finds the operation of a message. */
export interface OperationTable {
  /** By `SOAPAction`; undefined when the action is not there, is empty or belongs to several operations. */
  byAction(action: string | undefined): Operation | undefined;
  /** By the first element of the body. */
  byBody(content: XmlElement | undefined): Operation | undefined;
}

export function createOperationTable(operations: readonly Operation[]): OperationTable {
  const actions = new Map<string, Operation | undefined>();
  for (const operation of operations) {
    if (operation.action === undefined) continue;
    actions.set(operation.action, actions.has(operation.action) ? undefined : operation);
  }
  return {
    byAction: (action) => (action === undefined || action === '' ? undefined : actions.get(action)),
    byBody(content) {
      if (!content) return operations.find(({ input }) => input === undefined);
      const exact = operations.find(({ input }) => input?.local === content.local && input.uri === content.uri);
      return exact ?? operations.find(({ name }) => name === content.local);
    },
  };
}
