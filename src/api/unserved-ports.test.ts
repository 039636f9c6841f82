import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { World } from '#artifacts';
import { findUnservedPorts } from './unserved-ports.ts';

function worldWith(...ports: (number | undefined)[]): World {
  const artifacts = ports.map((port, index) => {
    const position = { file: `${index}.xml`, line: 1, column: 1 };
    return [`api:${index}`, { artifact: { kind: 'api', position }, compiled: { definition: { port } } }] as const;
  });
  return { artifacts: new Map(artifacts) } as unknown as World;
}

test('an API whose port no listener has is warned about, with its place', () => {
  const [problem, ...others] = findUnservedPorts(worldWith(8280, 9999, undefined, -1), [8280, 8243]);
  assert.equal(others.length, 0);
  assert.equal(problem?.severity, 'warning');
  assert.equal(problem.position?.file, '1.xml');
  assert.match(problem.message, /9999/);
});
