import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mergedProblems } from './problem-operations.ts';

it('the same problem of several nodes is told once, errors first', () => {
  const problem = (node: string, facts: Partial<Parameters<typeof mergedProblems>[0][number]> = {}) => ({
    group: 'g',
    nodes: [node],
    severity: 'error' as const,
    code: 'MR_A',
    message: 'wrong',
    file: 'artifacts/b.xml',
    line: 2,
    column: 1,
    excerpt: undefined,
    hint: undefined,
    application: undefined,
    runs: [],
    ...facts,
  });
  const merged = mergedProblems([
    problem('one', { severity: 'warning', file: 'artifacts/a.xml' }),
    problem('one'),
    problem('two', { line: 1 }),
    problem('two'),
    problem('three', { group: 'h' }),
  ]);
  assert.deepEqual(
    merged.map(({ group, nodes, severity, line }) => [group, severity, line, nodes]),
    [
      ['g', 'error', 1, ['two']],
      ['g', 'error', 2, ['one', 'two']],
      ['h', 'error', 2, ['three']],
      ['g', 'warning', 2, ['one']],
    ],
  );
});
