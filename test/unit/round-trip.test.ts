import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readArtifacts, type ArtifactFile } from '#artifacts';
import { parseXml, serializeXml } from '#xml';
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
  // An attribute of a fault's code that nobody reads.
  /validateMediatorInvalidXPathTestProxy/,
  // A comment inside a time-out, text between elements.
  /StockQuoteService11016|Soap12FaultNodeTestCaseErrorSeq/,
];

function caseArtifacts(): ArtifactFile[] {
  const root = join(import.meta.dirname, '..', 'cases');
  return globSync('**/*.case', { cwd: root }).flatMap((file) =>
    parseCase(readFileSync(join(root, file), 'utf8'))
      .sections.filter(({ title }) => title.startsWith('artifact'))
      .map(({ text }, index) => ({ file: `${file}#${index + 1}`, text: text.trim() })),
  );
}

/** Reads, writes and reads again; gives what was read from and what was written, as comparable lines. */
function roundTrip({ file, text }: ArtifactFile): { before: string[]; after: string[]; twice: string[] } | undefined {
  const { artifacts, problems } = readArtifacts(text, file, artifactKinds);
  const [artifact] = artifacts;
  // What an artifact says in words that nobody knows is not written back.
  if (problems.length > 0 || !artifact || artifacts.length > 1) return undefined;
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
    before: canonicalLines(parseXml(text).root),
    after: canonicalLines(parseXml(written).root),
    twice: canonicalLines(twice),
  };
}

function checkAll(files: readonly ArtifactFile[]): number {
  let count = 0;
  for (const file of files) {
    const trip = roundTrip(file);
    if (!trip) continue;
    count++;
    assert.deepEqual(trip.twice, trip.after, `${file.file} changes when it is written a second time`);
    if (withoutEffect.some((pattern) => pattern.test(file.file))) continue;
    assert.deepEqual(trip.after, trip.before, `${file.file} changes when it is written`);
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
    const kindsToWrite = new Set(['api', 'proxy', 'sequence', 'endpoint', 'template', 'localEntry']);
    const count = checkAll(readCorpus().filter(({ kind }) => kindsToWrite.has(kind)));
    t.diagnostic(`${count} published artifacts were written and read again`);
    assert.ok(count > 70);
  },
);
