import {
  compileProcessor,
  parseProcessor,
  serializeProcessor,
  startProcessor,
  type ProcessorDefinition,
} from '#mediation';
import { serializeXml } from '#xml';
import { defineArtifact } from '../artifact.ts';

/** `<messageProcessor name="…">`: takes messages out of a store by itself (mediators 10). */
export const messageProcessor = defineArtifact<ProcessorDefinition, ProcessorDefinition>({
  element: 'messageProcessor',
  folders: ['message-processors'],
  order: 8,
  nameOf: (node) => node.required('name'),
  parse: parseProcessor,
  serialize: serializeProcessor,
  compile: compileProcessor,
  runsAs: (deployed) => serializeXml(serializeProcessor(deployed)),
  start: startProcessor,
});
