import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { createThreadPool, DeadlineError } from '#core';
import { MillraceError, synapseCodes } from '#errors';
import { Fault } from '../fault.ts';
import type { FoundResource } from './resource-mapping.ts';

/** A schema with everything that it refers to, as it can go into another thread. */
export interface SchemaDefinition {
  readonly id: string;
  readonly language: 'xsd' | 'json';
  readonly sources: readonly FoundResource[];
  /** What locations stand for, by `referenceKey`. */
  readonly references: readonly (readonly [key: string, found: FoundResource])[];
}

/** One validation: a document as text. */
export interface SchemaTask {
  readonly schema: SchemaDefinition;
  readonly text: string;
}

/** Something in a document that its schema does not allow; where, as the schema's language has it. */
export interface SchemaViolation {
  readonly message: string;
  readonly path?: string | undefined;
}

/** Characters of a document from which a worker validates it: more would hold up other messages for too long. */
export const inlineSize = 100_000;
/** Milliseconds after which a worker is stopped: a quarter of the time that a client usually waits. */
export const workerTime = 30_000;
/** Megabytes that a worker may use. */
const memoryLimit = 1024;

const pool = createThreadPool<SchemaTask>({
  open() {
    const name = import.meta.url.endsWith('.ts') ? './schema-worker.ts' : './schema-worker.js';
    return new Worker(new URL(name, import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: memoryLimit } });
  },
  maxThreads: 2,
  maxWaiting: 100,
  failure(kind, cause) {
    const message = {
      refused: 'Too many large validations wait for a worker',
      told: String(cause),
      lost: 'The validation failed in its worker',
    }[kind];
    return new MillraceError({ code: synapseCodes.mediation, message, cause });
  },
});

/** The name of what `location` stands for in the schema `importer`. */
export function referenceKey(location: string, importer: string): string {
  return JSON.stringify([location, importer]);
}

/** A schema for `validateInWorker`; equal ones are compiled once by each worker. */
export function defineSchema(parts: Omit<SchemaDefinition, 'id'>): SchemaDefinition {
  return { ...parts, id: createHash('sha256').update(JSON.stringify(parts)).digest('base64') };
}

/**
 * Validates in a worker thread, which is ended after `timeLimit` milliseconds.
 *
 * @throws Fault when that takes too long, too many wait, or the document or the worker fails
 */
export async function validateInWorker(task: SchemaTask, timeLimit = workerTime): Promise<readonly SchemaViolation[]> {
  try {
    return JSON.parse(await pool.run(task, timeLimit)) as readonly SchemaViolation[];
  } catch (error) {
    if (!(error instanceof MillraceError || error instanceof DeadlineError)) throw error;
    const keys = task.schema.sources.map(({ key }) => key).join(', ');
    const message =
      error instanceof DeadlineError ? `The validation against ${keys} was ${error.message}` : error.message;
    throw new Fault({ code: synapseCodes.mediation, message, cause: error });
  }
}
