import type { Raw } from './catalog/types.ts';
import { inferenceRules } from './inference-rules.ts';

/** A value that follows from another key's value. */
export interface Inferred {
  readonly path: string;
  readonly raw: Raw;
  /** The key that it follows from. */
  readonly trigger: string;
}

/**
 * Everything that follows from the values of the file. `value` gives the resolved text of a written key; `paths` are
 * the written keys. Inferred values can lead to further ones; written keys are never replaced.
 */
export function infer(
  paths: readonly string[],
  value: (path: string) => Raw | undefined,
): ReadonlyMap<string, Inferred> {
  const inferred = new Map<string, Inferred>();
  const written = new Set(paths);
  const queue = [...paths];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const raw = inferred.get(path)?.raw ?? value(path);
    if (raw === undefined || Array.isArray(raw)) continue;
    for (const [target, derived] of consequencesOf(path, String(raw))) {
      if (written.has(target) || inferred.has(target)) continue;
      inferred.set(target, { path: target, raw: derived, trigger: path });
      queue.push(target);
    }
  }
  return inferred;
}

function consequencesOf(path: string, text: string): readonly (readonly [string, Raw])[] {
  return inferenceRules.flatMap((rule) => {
    const match = rule.trigger.exec(path);
    if (!match) return [];
    const values = rule.values?.[text] ?? rule.values?.[text.toLowerCase()] ?? rule.derive?.(text);
    if (!values) return [];
    return Object.entries(values).map(([target, raw]) => [target.replace('$1', match[1] ?? ''), raw] as const);
  });
}
