import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { corpusPage } from '../../tools/corpus.ts';
import { explain, hasCorpus, readCorpus } from '../helpers/corpus.ts';
import { refusalReasons, refusalsOf } from '../helpers/corpus-refusals.ts';

const skip = hasCorpus ? false : 'the corpus is not beside the repository';

test('published artifacts are refused only for reasons that are known, at a place', { skip }, () => {
  const titles = refusalReasons.map(({ title }) => title);
  for (const [reason, files] of refusalsOf(readCorpus())) {
    assert.ok(titles.includes(reason), files.map(explain).join('\n'));
    for (const { position } of files.flatMap(({ errors }) => errors)) assert.ok(position && position.line > 0);
  }
});

test('the page about published artifacts counts them as they are', { skip }, () => {
  const page = readFileSync(join(import.meta.dirname, '../..', corpusPage), 'utf8');
  for (const [reason, files] of refusalsOf(readCorpus())) {
    assert.ok(page.includes(`| ${reason} | ${files.length} |`), `${reason}: ${files.length}`);
  }
  assert.match(page, new RegExp(`^Of ${readCorpus().length} artifacts`, 'm'));
});

test('no more published artifacts are refused than before', { skip }, (t) => {
  const refused = readCorpus().filter(({ errors }) => errors.length > 0);
  t.diagnostic(`${refused.length} are refused`);
  assert.ok(refused.length <= 72);
});
