import { parentPort } from 'node:worker_threads';
import type { ThreadReply } from '#core';
import { messageOf } from '#errors';
import { parseJson } from '#json';
import { compileJsonSchema } from '#json/schema';
import { compileXmlSchema } from '#xml/schema';
import type { FoundResource } from './resource-mapping.ts';
import { referenceKey, type SchemaDefinition, type SchemaTask, type SchemaViolation } from './schema-worker-pool.ts';

/** A thread that validates one document after the other. It keeps the schemas that it saw last. */
const port = parentPort;
if (!port) throw new Error('this file runs as a worker');

type Validate = (text: string) => readonly SchemaViolation[];

const maxKnown = 50;
const known = new Map<string, { readonly validate: Validate; readonly dispose: () => void }>();

port.on('message', ({ schema, text }: SchemaTask) => port.postMessage(reply(schema, text)));

function reply(schema: SchemaDefinition, text: string): ThreadReply {
  try {
    return { answer: JSON.stringify(validatorOf(schema)(text)) };
  } catch (error) {
    return { failure: messageOf(error) };
  }
}

function validatorOf(schema: SchemaDefinition): Validate {
  const before = known.get(schema.id);
  if (before) return before.validate;
  const made = compile(schema);
  known.set(schema.id, made);
  const [oldest] = known.keys();
  if (known.size > maxKnown && oldest !== undefined) {
    known.get(oldest)?.dispose();
    known.delete(oldest);
  }
  return made.validate;
}

function compile({ language, sources, references }: SchemaDefinition): { validate: Validate; dispose: () => void } {
  const found = new Map(references);
  const resolve = (location: string, importer: string): FoundResource | undefined =>
    found.get(referenceKey(location, importer));
  if (language === 'xsd') {
    const schema = compileXmlSchema(sources, resolve);
    return { validate: (text) => schema.validate(text), dispose: () => schema[Symbol.dispose]() };
  }
  const schema = compileJsonSchema(sources[0] ?? { key: '', text: '' }, resolve);
  return { validate: (text) => schema.validate(parseJson(text)), dispose: () => undefined };
}
