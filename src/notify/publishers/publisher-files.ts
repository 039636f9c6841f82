import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getLogger } from '#core';
import { formatProblem, ProblemsError, type Problem } from '#errors';
import { parsePublisher, type Publisher } from './publisher.ts';
import { shippedPublishers, shippedStreams } from './shipped.ts';
import { parseStream, type Stream } from './streams.ts';

const log = getLogger('notify');

/** The folders of a home that publishers and streams are in. */
export interface PublisherFolders {
  readonly eventpublishers: string;
  readonly eventstreams: string;
}

/** What the files of a home say. */
export interface PublisherSet {
  readonly publishers: ReadonlyMap<string, Publisher>;
  readonly streams: ReadonlyMap<string, Stream>;
  readonly problems: readonly Problem[];
}

/** Gives a home without these folders the shipped files; a folder that is there stays as it is. */
export function shipPublishers(folders: PublisherFolders): void {
  ship(folders.eventpublishers, shippedPublishers);
  ship(folders.eventstreams, shippedStreams);
}

/** Reads every file; one that is wrong is named and left out, the others count. */
export function readPublishers({ eventpublishers, eventstreams }: PublisherFolders): PublisherSet {
  const problems: Problem[] = [];
  const publishers = new Map<string, Publisher>();
  for (const [file, publisher] of readAll(eventpublishers, { extension: 'xml', parse: parsePublisher, problems })) {
    if (publishers.has(publisher.name)) {
      problems.push(warning(file, `There is a publisher "${publisher.name}" already; this one is left out`));
    } else publishers.set(publisher.name, publisher);
  }
  const streams = new Map<string, Stream>();
  for (const [, stream] of readAll(eventstreams, { extension: 'json', parse: parseStream, problems })) {
    streams.set(stream.id, stream);
  }
  for (const { name, stream } of publishers.values()) {
    if (streams.has(stream)) continue;
    const message = `The publisher "${name}" takes the stream ${stream}, which no file of eventstreams defines`;
    problems.push(warning(join(eventpublishers, `${name}.xml`), message));
  }
  return { publishers, streams, problems };
}

/** Writes what is wrong into the log. */
export function logProblems(problems: readonly Problem[]): void {
  for (const problem of problems) log.warn({ code: problem.code }, formatProblem(problem));
}

interface Reading<Value> {
  readonly extension: string;
  readonly parse: (text: string, file: string) => Value;
  readonly problems: Problem[];
}

function readAll<Value>(
  folder: string,
  { extension, parse, problems }: Reading<Value>,
): (readonly [file: string, value: Value])[] {
  const files = existsSync(folder) ? globSync(`*.${extension}`, { cwd: folder }).sort() : [];
  return files.flatMap((name) => {
    const file = join(folder, name);
    try {
      return [[file, parse(readFileSync(file, 'utf8'), file)] as const];
    } catch (error) {
      if (!(error instanceof ProblemsError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
}

function ship(folder: string, files: Readonly<Record<string, string>>): void {
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

function warning(file: string, message: string): Problem {
  return { code: 'MR_PUBLISHER', severity: 'warning', message, position: { file, line: 1, column: 1 } };
}
