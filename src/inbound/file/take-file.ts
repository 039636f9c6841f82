import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getLogger } from '#core';
import {
  BackgroundExchange,
  createCompileContext,
  guardWith,
  runInBackground,
  sequenceReference,
  type LiveContext,
  type LiveWorld,
} from '#mediation';
import { Message, Payload, type HeaderList } from '#message';
import type { InboundDefinition } from '../definition.ts';
import { FileBody } from './file-body.ts';
import type { FileSettings } from './file-parameters.ts';
import type { FoundFile } from './scan.ts';

const log = getLogger('inbound');

/** How it went with a file: by this the action is chosen that follows. */
export type FileOutcome = 'process' | 'failure' | 'errors';

/** Content types by ending, where the endpoint names none (mediators 12.2). */
const typesByEnding: Readonly<Record<string, string>> = { '.xml': 'text/xml', '.txt': 'text/plain' };

/** Makes a message of a file and takes it through the sequence of its endpoint, in the current world. */
export async function takeFile(
  file: FoundFile,
  settings: FileSettings,
  { definition, context }: { definition: InboundDefinition; context: LiveContext },
): Promise<FileOutcome> {
  const { name: inbound } = definition;
  if (settings.sizeLimit >= 0 && file.size > settings.sizeLimit) {
    log.error({ inbound, file: file.path, size: file.size, limit: settings.sizeLimit }, 'the file is too large');
    return 'failure';
  }
  let body: FileBody;
  try {
    body = new FileBody(await open(file.path), file.size);
  } catch (error) {
    log.error({ err: error, inbound, file: file.path }, 'the file cannot be read');
    return 'errors';
  }
  return context.inWorld((world) => mediate(world, { file, body, settings, definition, context }));
}

interface Taking {
  readonly file: FoundFile;
  readonly body: FileBody;
  readonly settings: FileSettings;
  readonly definition: InboundDefinition;
  readonly context: LiveContext;
}

async function mediate(world: LiveWorld, taking: Taking): Promise<FileOutcome> {
  const { file, body, settings, definition, context } = taking;
  const contentType = settings.contentType ?? typesByEnding[extname(file.name)] ?? 'application/octet-stream';
  const origin = {
    contentType,
    hasSoapAction: false,
    query: '',
    reading: { allowDtd: false, allowPlainXml: true, wrapper: undefined },
  };
  const exchange = new BackgroundExchange(world.environment, world.library);
  const message = new Message(exchange, Payload.received(body, origin), headersOf(file, contentType));
  const { properties } = message;
  properties.set('isInbound', true);
  properties.set('inbound.endpoint.name', definition.name);
  properties.set('TRANSPORT_IN_NAME', 'file');
  properties.set('ARTIFACT_NAME', `inboundendpoint${definition.name}`);
  const compile = createCompileContext(context.id, world.library, context.services);
  const guard = guardWith({ key: definition.onError, inline: undefined }, compile);
  const run = guard(async (each) => {
    // Without streaming the content is here before anything happens to the file.
    if (!settings.streams) await each.payload.load(context.services.settings.maxBodyBytes);
    return sequenceReference(definition.sequence ?? '', compile, definition.sequencePosition)(each);
  });
  const { failure } = await runInBackground(world, message, { id: context.id, run });
  if (!body.isTaken && !exchange.sentAsynchronously) body.cancel();
  const rollback = message.properties.get('SET_ROLLBACK_ONLY') ?? message.axis2.get('SET_ROLLBACK_ONLY');
  const isRolledBack = rollback === true || rollback === 'true';
  return failure !== undefined || exchange.failed || isRolledBack ? 'failure' : 'process';
}

function headersOf({ path, name, relativePath, size, modified }: FoundFile, contentType: string): HeaderList {
  const headers = [
    ['FILE_PATH', path],
    ['FILE_NAME', name],
    ['FILE_URI', pathToFileURL(path).href],
    ['FILE_LENGTH', String(size)],
    ['LAST_MODIFIED', String(modified)],
    ['Content-Type', contentType],
    ...(relativePath === '' ? [] : [['RELATIVE_PATH', relativePath]]),
  ];
  return headers.flat();
}
