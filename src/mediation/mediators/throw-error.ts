import { Fault } from '../fault.ts';
import { defineMediator } from '../mediator.ts';
import { declareNamespaces, readValue, synapseElement, type ValueSource } from '../reading.ts';

interface Definition {
  readonly type: ValueSource | undefined;
  readonly errorMessage: ValueSource | undefined;
}

/** `<throwError>`: raises a fault with a code and a message of the artifact's choice (mediators 4.5). */
export const throwError = defineMediator<Definition>({
  element: 'throwError',
  attributes: ['type', 'errorMessage'],
  children: [],
  needsBody: ({ type, errorMessage }) => type?.value.contentAware === true || errorMessage?.value.contentAware === true,
  parse: (node) => ({ type: readValue(node, 'type'), errorMessage: readValue(node, 'errorMessage') }),
  serialize: ({ type, errorMessage }) =>
    declareNamespaces(synapseElement('throwError', { type: type?.text, errorMessage: errorMessage?.text }), [
      type,
      errorMessage,
    ]),
  compile:
    ({ type, errorMessage }) =>
    (message) => {
      throw new Fault({
        code: type?.value.evaluate(message) ?? 'ANY',
        message: errorMessage?.value.evaluate(message) ?? 'Error occurred in the mediation flow',
      });
    },
});
