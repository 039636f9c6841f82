import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getLogger } from '#core';
import type { LiveContext } from '#mediation';
import { Payload, type HeaderList } from '#message';
import type { InboundDefinition } from '../definition.ts';
import { injectMessage, originOf } from '../inject.ts';
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
  const contentType = settings.contentType ?? typesByEnding[extname(file.name)] ?? 'application/octet-stream';
  const injection = {
    payload: Payload.received(body, originOf(contentType)),
    headers: headersOf(file, contentType),
    properties: { TRANSPORT_IN_NAME: 'file' },
    streams: settings.streams,
  };
  const { failed, isSent } = await context.inWorld((world) => injectMessage(world, injection, { definition, context }));
  if (!body.isTaken && !isSent) body.cancel();
  return failed ? 'failure' : 'process';
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
