import type { ReadResult } from './read.ts';

/** Keys of artifacts that others lead to by the names in their files, directly or not, with those others. */
export function reachedArtifacts(
  results: readonly Pick<ReadResult, 'artifacts' | 'references'>[],
  starts: readonly string[],
): ReadonlySet<string> {
  const reached = new Set(starts);
  if (reached.size === 0) return reached;
  const named = new Map<string, readonly string[]>();
  for (const { artifacts, references } of results) {
    const keys = references.map(({ kind, key }) => `${kind}:${key}`);
    for (const { key } of artifacts) named.set(key, keys);
  }
  // What is added while this goes on is gone through as well.
  for (const key of reached) for (const next of named.get(key) ?? []) reached.add(next);
  return reached;
}
