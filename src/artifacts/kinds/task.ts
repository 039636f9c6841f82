import { compileTaskOf, parseTask, serializeTask, startTask, type CompiledTask, type TaskDefinition } from '#mediation';
import { defineArtifact } from '../artifact.ts';

/** `<task name="…">`: something that runs at times (runtime-core 1.3, mediators 11). */
export const task = defineArtifact<TaskDefinition, CompiledTask>({
  element: 'task',
  folders: ['tasks'],
  order: 7,
  nameOf: (node) => node.required('name'),
  parse: parseTask,
  serialize: serializeTask,
  compile: compileTaskOf,
  start: startTask,
});
