import { compileStore, parseStore, serializeStore, type StoreDefinition } from '#mediation';
import { defineArtifact } from '../artifact.ts';

/** `<messageStore name="…">`: keeps messages for message processors (mediators 9). */
export const messageStore = defineArtifact<StoreDefinition>({
  element: 'messageStore',
  folders: ['message-stores'],
  order: 4,
  nameOf: (node) => node.required('name'),
  parse: parseStore,
  serialize: serializeStore,
  compile: compileStore,
});
