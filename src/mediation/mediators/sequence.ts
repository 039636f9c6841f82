import { libraryOf } from '../context.ts';
import { Fault } from '../fault.ts';
import { CONTINUE } from '../flow.ts';
import { synapseCodes } from '#errors';
import { defineMediator, type Compiled } from '../mediator.ts';
import { declareNamespaces, readValue, synapseElement, type ValueSource } from '../reading.ts';
import { compileSequence, parseSequence, serializeSteps, type SequenceDefinition } from '../sequence.ts';

interface Definition {
  readonly key: ValueSource | undefined;
  /** An inline list, when there is no key. */
  readonly inline: SequenceDefinition | undefined;
}

/** `<sequence key="…"/>` runs a named sequence; `<sequence>…</sequence>` groups mediators (mediators 2.7). */
export const sequence = defineMediator<Definition>({
  element: 'sequence',
  attributes: ['key', 'name', 'onError'],
  needsBody: (definition) => definition.key?.value.contentAware ?? false,
  parse(node, context) {
    const key = readValue(node, 'key');
    if (key && node.attribute('onError') !== undefined) {
      node.error('a sequence reference takes no "onError"', { attribute: 'onError' });
    }
    if (key?.value.literal !== undefined) {
      context.refer({ kind: 'sequence', key: key.value.literal, node, attribute: 'key' });
    }
    return { key, inline: key ? undefined : parseSequence(node, context) };
  },
  serialize({ key, inline }) {
    if (key) return declareNamespaces(synapseElement('sequence', { key: key.text }), [key]);
    return serializeSteps(synapseElement('sequence', { onError: inline?.onError }), inline?.steps ?? []);
  },
  compile({ key, inline }, context): Compiled {
    if (inline) return compileSequence(inline, context);
    if (!key) return () => CONTINUE;
    const { literal } = key.value;
    return (message) => {
      const name = literal ?? key.value.evaluate(message) ?? '';
      const target = libraryOf(message).sequence(name);
      if (!target) {
        throw new Fault({ code: synapseCodes.mediation, message: `Sequence named ${name} cannot be found` });
      }
      return target(message);
    };
  },
});
