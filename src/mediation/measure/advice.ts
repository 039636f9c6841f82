import type { Advice } from '../advice.ts';

/** Applies one advice around another; undefined when there is none. */
export function joinAdvice(...all: readonly (Advice | undefined)[]): Advice | undefined {
  const present = all.filter((advice) => advice !== undefined);
  if (present.length < 2) return present[0];
  return { around: (run, place) => present.reduce((wrapped, advice) => advice.around(wrapped, place), run) };
}
