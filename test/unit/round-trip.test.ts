import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readArtifacts, type ArtifactFile } from '#artifacts';
import { childElements, parseXml, serializeXml, type XmlElement } from '#xml';
import { artifactKinds } from '../../src/server/artifact-kinds.ts';
import { canonicalLines } from '../helpers/canonical-xml.ts';
import { parseCase } from '../helpers/case-file.ts';
import { hasCorpus, readCorpus } from '../helpers/corpus.ts';

/** Sources that say something which has no effect, and which is not written back. */
const withoutEffect: readonly RegExp[] = [
  // A child element behind a key of the same name, the older spelling of a key, a template behind a mapping.
  /named-sequences-of-a-resource|sequence-key-on-the-child|url-mapping-wins-over-template-attribute/,
  // A second default branch.
  /switch-first-match/,
  // A comment inside a time-out, text between elements.
  /StockQuoteService11016|Soap12FaultNodeTestCaseErrorSeq/,
];

/** Tasks of older tools have a namespace of their own, and inbound endpoints none; all are written in the common one. */
const foreign = /<\{http:\/\/www\.wso2\.org\/products\/wso2commons\/tasks\}|<(?=inboundEndpoint )/;
const synapse = 'http://ws.apache.org/ns/synapse';

function caseArtifacts(): ArtifactFile[] {
  const root = join(import.meta.dirname, '..', 'cases');
  return globSync('**/*.case', { cwd: root }).flatMap((file) =>
    parseCase(readFileSync(join(root, file), 'utf8'))
      .sections.filter(({ title }) => title.startsWith('artifact'))
      .map(({ text }, index) => ({ file: `${file}#${index + 1}`, text: text.trim() })),
  );
}

interface Trip {
  readonly before: string[];
  readonly after: string[];
  readonly twice: string[];
}

/** Reads, writes and reads again each artifact of a file; gives what was read and written, as comparable lines. */
function roundTrips({ file, text }: ArtifactFile): readonly Trip[] {
  const { artifacts, problems } = readArtifacts(text, file, artifactKinds);
  // What an artifact says in words that nobody knows is not written back.
  if (problems.length > 0) return [];
  const { root } = parseXml(text);
  const sources = (root.local === 'definitions' ? childElements(root) : [root]).filter(isArtifact);
  // An artifact may bring others along that nobody wrote.
  const left = [...artifacts];
  return sources.map((source) => {
    const [artifact] = left.splice(
      left.findIndex(({ kind }) => kind === source.local),
      1,
    );
    assert.ok(artifact, `${file} says more than was read`);
    const written = serializeXml(artifact.serialize());
    const again = readArtifacts(written, file, artifactKinds);
    assert.deepEqual(
      again.problems.map(({ message }) => message),
      [],
      `${file} cannot be read any more:\n${written}`,
    );
    assert.equal(again.artifacts[0]?.key, artifact.key);
    const twice = again.artifacts[0]?.serialize() ?? artifact.serialize();
    return {
      before: canonicalLines(source).map((line) => line.replace(foreign, `<{${synapse}}`)),
      after: canonicalLines(parseXml(written).root),
      twice: canonicalLines(twice),
    };
  });
}

function isArtifact({ local }: XmlElement): boolean {
  return artifactKinds.some(({ element }) => element === local);
}

function checkAll(files: readonly ArtifactFile[]): number {
  let count = 0;
  for (const file of files) {
    for (const trip of roundTrips(file)) {
      count++;
      assert.deepEqual(trip.twice, trip.after, `${file.file} changes when it is written a second time`);
      if (withoutEffect.some((pattern) => pattern.test(file.file))) continue;
      assert.deepEqual(trip.after, trip.before, `${file.file} changes when it is written`);
    }
  }
  return count;
}

test('the artifacts of the golden cases mean the same after they were written', () => {
  assert.ok(checkAll(caseArtifacts()) > 250);
});

test(
  'published artifacts mean the same after they were written',
  { skip: hasCorpus ? false : 'the corpus is not beside the repository' },
  (t) => {
    const count = checkAll(readCorpus().filter(({ errors }) => errors.length === 0));
    t.diagnostic(`${count} published artifacts were written and read again`);
    assert.ok(count > 240);
  },
);
