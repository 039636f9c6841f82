/** How good a match is: exact beats path, a longer path beats a shorter one, extension comes last (runtime-core 2.5). */
export type UrlMapping =
  | { readonly kind: 'exact'; readonly text: string; readonly path: string }
  | { readonly kind: 'path'; readonly text: string; readonly segments: readonly string[] }
  | { readonly kind: 'extension'; readonly text: string; readonly suffix: string };

/** Parses the text of a `url-mapping`. */
export function parseUrlMapping(text: string): UrlMapping {
  if (text.startsWith('/') && text.endsWith('/*')) {
    return { kind: 'path', text, segments: segmentsOf(text.slice(0, -2)) };
  }
  if (text.startsWith('*.')) return { kind: 'extension', text, suffix: text.slice(1) };
  return { kind: 'exact', text, path: text.length > 1 && text.endsWith('/') ? text.slice(0, -1) : text };
}

/** The best of the candidates for a path without its query; the earlier one wins a tie. */
export function selectByMapping<T extends { readonly mapping: UrlMapping | undefined }>(
  candidates: readonly T[],
  path: string,
): T | undefined {
  const trimmed = trimSlashes(path);
  const exact = candidates.find(({ mapping }) => mapping?.kind === 'exact' && mapping.path === trimmed);
  if (exact) return exact;
  let best: T | undefined;
  let bestLength = 0;
  const segments = segmentsOf(path);
  for (const candidate of candidates) {
    const { mapping } = candidate;
    if (mapping?.kind !== 'path' || !mapping.segments.every((segment, index) => segment === segments[index])) continue;
    // `/*` counts as long as one segment, so it ties with a one-segment mapping that stands before it.
    const length = Math.max(1, mapping.segments.length);
    if (length > bestLength) {
      best = candidate;
      bestLength = length;
    }
  }
  return best ?? candidates.find(({ mapping }) => mapping?.kind === 'extension' && path.endsWith(mapping.suffix));
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function trimSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path.charCodeAt(end - 1) === 0x2f) end--;
  return path.slice(0, end);
}
