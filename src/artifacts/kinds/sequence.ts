import { compileSequence, parseSequence, serializeSteps, synapseElement, type SequenceDefinition } from '#mediation';
import { defineArtifact } from '../artifact.ts';

interface Definition extends SequenceDefinition {
  readonly name: string;
}

/** `<sequence name="…">`: a named list of mediators. */
export const sequence = defineArtifact<Definition>({
  element: 'sequence',
  folders: ['sequences'],
  order: 3,
  nameOf: (node) => node.required('name'),
  parse(node, context) {
    node.knowOnly(['name', 'onError', 'description', 'trace', 'statistics', 'key']);
    return { name: node.attribute('name') ?? '', ...parseSequence(node, context) };
  },
  serialize: ({ name, onError, steps }) => serializeSteps(synapseElement('sequence', { name, onError }), steps),
  compile: (definition, context) => compileSequence(definition, context),
});
