import { ProblemsError } from '#errors';

const absent: ReadonlySet<string | number> = new Set(['MR_CLASS_UNMAPPED', 'MR_CLASS_LOAD']);

/** True when a class, or what it is mapped to, is not there; what is there but wrong is another matter. */
export function isAbsentExtension(error: unknown): boolean {
  return error instanceof ProblemsError && error.problems.every(({ code }) => absent.has(code));
}
