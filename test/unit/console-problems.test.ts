import assert from 'node:assert/strict';
import { it } from 'node:test';
import { brokenFiles, markedLine, placeOf, type Problem } from '../../web/src/problems.ts';

const problem = (facts: Partial<Problem> = {}): Problem => ({
  group: 'g',
  nodes: ['one'],
  severity: 'error',
  code: 'MR_A',
  message: 'wrong',
  file: 'a.xml',
  runs: [],
  ...facts,
});

it('problems are brought together by the file of a group', () => {
  const files = brokenFiles([
    problem({ runs: ['api:A'] }),
    problem({ nodes: ['one', 'two'], runs: ['api:A'], line: 2 }),
    problem({ group: 'h' }),
  ]);
  assert.deepEqual(
    files.map(({ group, file, nodes, runs, problems }) => [group, file, nodes, runs, problems.length]),
    [
      ['g', 'a.xml', ['one', 'two'], ['api:A'], 2],
      ['h', 'a.xml', ['one'], [], 1],
    ],
  );
});

it('a line of the source has its mark below the column, also where it is cut', () => {
  assert.equal(markedLine(problem({ line: 12, column: 3, excerpt: '  <x/>' })), '12 |   <x/>\n       ^');
  const long = `${'-'.repeat(300)}<x/>${'-'.repeat(300)}`;
  const [shown = '', mark = ''] = (markedLine(problem({ line: 1, column: 301, excerpt: long })) ?? '').split('\n');
  assert.equal(shown.slice(mark.indexOf('^'), mark.indexOf('^') + 4), '<x/>');
  assert.ok(shown.length < 180);
  assert.equal(markedLine(problem({ line: 1 })), undefined);
  assert.equal(placeOf(problem({ line: 1, column: 2 })), 'a.xml:1:2');
  assert.equal(placeOf(problem()), 'a.xml');
});
