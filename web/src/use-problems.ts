import { useResource, type Resource } from './api.ts';
import type { Problem } from './problems.ts';
import { scoped, type Scope } from './scope.ts';
import type { SilentNode } from './silent-nodes.tsx';

interface Problems {
  readonly list: readonly Problem[];
  /** Runtimes that did not say. */
  readonly silent: readonly SilentNode[];
}

/** What is wrong with the artifact files of a scope, kept up to date. */
export function useProblems(scope: Scope): Resource<Problems> {
  return useResource<Problems>(scoped('/problems', scope), 15);
}
