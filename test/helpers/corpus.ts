import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWorld, readArtifacts, type Artifact, type ArtifactFile } from '#artifacts';
import { formatProblem, type Problem } from '#errors';
import { artifactKinds } from '../../src/server/artifact-kinds.ts';
import { prepareInProcess } from './in-process.ts';
import { stockQuoteWsdl } from './stock-quote-service.ts';

/** Published artifacts of others, kept beside the repository and never copied into it. */
export const corpusDirectory = join(import.meta.dirname, '../../../shared/corpus/synapse');

/** False where the corpus is not there; tests then skip. */
export const hasCorpus = existsSync(corpusDirectory);

/** The WSDL that a published artifact takes from the registry. */
export const stockQuoteDescription = {
  path: '/_system/config/scenario/tests/resource/wsdl/SimpleStockQuoteService.wsdl',
  content: Buffer.from(stockQuoteWsdl('http://localhost:9000/services/SimpleStockQuoteService')),
  properties: new Map<string, string>(),
};

/** One file of the corpus, read. */
export interface CorpusFile extends ArtifactFile {
  /** Kind of the artifact, as the file's name says it: `api`, `sequence`, `proxy` … */
  readonly kind: string;
  readonly artifacts: readonly Artifact[];
  /** What keeps it from being deployed. */
  readonly errors: readonly Problem[];
}

/** Reads every artifact file of the corpus and deploys each by itself, in the order of their names. */
export function readCorpus(): readonly CorpusFile[] {
  const { worldSettings } = prepareInProcess({ scripts: [] });
  return readdirSync(corpusDirectory)
    .filter((name) => name.includes('__'))
    .sort()
    .map((name) => {
      const text = readFileSync(join(corpusDirectory, name), 'utf8');
      const read = readArtifacts(text, name, artifactKinds);
      const sources = {
        files: [{ file: name, text }],
        packed: [stockQuoteDescription],
        roots: [],
        definitions: new Map(),
        problems: [],
      };
      const { problems } = buildWorld(sources, worldSettings, ({ file, text: content }) =>
        file === name ? read : readArtifacts(content, file, artifactKinds),
      );
      const errors = problems.filter((problem) => problem.severity === 'error');
      return { file: name, text, kind: name.split('__', 1)[0] ?? '', artifacts: read.artifacts, errors };
    });
}

/** What an error of a corpus file says is missing, short enough to be counted. */
export function missingIn(problem: Problem): string {
  const { code, message } = problem;
  const element = /<([\w.:-]+)>/.exec(message.slice(message.lastIndexOf('found ') + 1))?.[0] ?? '';
  switch (code) {
    case 'MR_MEDIATOR_UNKNOWN':
      return `mediator ${/<[^>]+>/.exec(message)?.[0] ?? ''}`;
    case 'MR_ARTIFACT_KIND':
      return `artifact ${/^<[^>]+>/.exec(message)?.[0] ?? ''}`;
    case 'MR_ENDPOINT_UNKNOWN':
      return `endpoint ${element || message.slice(message.lastIndexOf('found ') + 6)}`;
    case 'MR_ENDPOINT_AUTHENTICATION_UNSUPPORTED':
      return `authentication ${element}`;
    default:
      return message;
  }
}

/** Counts per missing thing, most frequent first: how many files it keeps from being deployed. */
export function countMissing(files: readonly CorpusFile[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { errors } of files) {
    for (const missing of new Set(errors.map(missingIn))) counts.set(missing, (counts.get(missing) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, left], [, right]) => right - left));
}

/** A table of counts as lines of text. */
export function tableOf(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${String(count).padStart(4)}  ${name}`).join('\n');
}

/** The errors of a file as text for people. */
export function explain({ errors }: CorpusFile): string {
  return errors.map((problem) => formatProblem(problem)).join('\n');
}
