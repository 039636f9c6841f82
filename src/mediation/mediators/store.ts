import { libraryOf } from '../context.ts';
import type { ValueSource } from '../reading.ts';
import { declareNamespaces, readValue, synapseElement } from '../reading.ts';
import { CONTINUE } from '../flow.ts';
import { defineMediator, type Compiled } from '../mediator.ts';
import { readSequenceName } from '../sequence.ts';
import { offerMessage } from '../stores/offer.ts';

interface Definition {
  readonly messageStore: ValueSource | undefined;
  readonly sequence: string | undefined;
  readonly name: string | undefined;
}

/** `<store>`: puts a copy of the message into a message store and goes on (mediators 7.1). */
export const store = defineMediator<Definition>({
  element: 'store',
  attributes: ['messageStore', 'sequence', 'name'],
  children: [],
  needsBody: () => true,
  parse(node, context) {
    node.required('messageStore');
    const messageStore = readValue(node, 'messageStore');
    const literal = messageStore?.value.literal;
    if (literal !== undefined) context.refer({ kind: 'messageStore', key: literal, node, attribute: 'messageStore' });
    return { messageStore, sequence: readSequenceName(node, 'sequence', context), name: node.attribute('name') };
  },
  serialize({ messageStore, sequence, name }) {
    const element = synapseElement('store', { name, messageStore: messageStore?.text, sequence });
    return declareNamespaces(element, [messageStore]);
  },
  compile({ messageStore, sequence }): Compiled {
    return async (message) => {
      const library = libraryOf(message);
      const name = messageStore?.value.evaluate(message) ?? '';
      // What is stored is what these leave behind; neither of them can keep the message out of the store.
      await (sequence === undefined ? CONTINUE : library.sequence(sequence)?.(message));
      const own = library.messageStore(name)?.sequence;
      await (own === undefined ? CONTINUE : library.sequence(own)?.(message));
      await offerMessage(library, name, message);
      return CONTINUE;
    };
  },
});
