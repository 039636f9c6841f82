import type { AnyArtifactKind } from '../artifact.ts';
import { endpoint } from './endpoint.ts';
import { importArtifact } from './import.ts';
import { localEntry } from './local-entry.ts';
import { messageProcessor } from './message-processor.ts';
import { messageStore } from './message-store.ts';
import { priorityExecutor } from './priority-executor.ts';
import { sequence } from './sequence.ts';
import { task } from './task.ts';
import { template } from './template.ts';

export { isEnabledImport } from './import.ts';
export type { LocalEntryValue } from './local-entry.ts';

/** The kinds of artifact that mediation itself brings, one line each; others register from their own area. */
export const coreKinds: readonly AnyArtifactKind[] = [
  importArtifact,
  endpoint,
  localEntry,
  messageStore,
  messageProcessor,
  priorityExecutor,
  sequence,
  task,
  template,
];
