import { isAbsolute, relative } from 'node:path';
import { maskText } from '#mediation';
import type { Problem } from '#errors';
import { defineOperation, type Operation } from '#rest';
import { listOf } from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';
import { nameOf } from './applications.ts';

/** `/millrace/problems`: what was wrong with the artifacts that were read last, and what runs of their files all the same. */
export function problemOperations(runtime: ManagedRuntime): readonly Operation[] {
  return [
    defineOperation({
      id: 'getProblems',
      method: 'GET',
      path: '/millrace/problems',
      summary:
        'What was wrong with the artifacts that were read last: `file` below the home, `runs` names what runs of it, ' +
        'which for an error is the last good version',
      responses: { 200: { description: 'The list under count and list' } },
      scope: 'read',
      handle: () => listOf(runtime.deployer.problems.map((problem) => shown(runtime, problem))),
    }),
  ];
}

function shown({ home, deployer }: ManagedRuntime, problem: Problem): Readonly<Record<string, unknown>> {
  const { excerpt, position } = problem;
  const masked = { ...problem, ...(excerpt !== undefined && { excerpt: maskText(excerpt) }) };
  if (!position) return { ...masked, runs: [] };
  const origin = originOf(position.file);
  const application = deployer.applications.find(({ file }) => originOf(file) === origin);
  // Of an archive everything or nothing is deployed.
  const runs = [...deployer.current.artifacts]
    .filter(([, { file }]) => (application ? originOf(file) === origin : file === position.file))
    .map(([key]) => key);
  const below = relative(home.directory, position.file);
  return {
    ...masked,
    file: below.startsWith('..') || isAbsolute(below) ? position.file : below,
    ...(application && { application: nameOf(application).name }),
    runs,
  };
}

/** The file on disk of something that may be inside an archive. */
function originOf(file: string): string {
  return file.split('!/', 1)[0] ?? '';
}
