import { catalogOf } from './catalog/catalog.ts';
import type { Key } from './catalog/define.ts';
import { statusOf, type Status } from './explain.ts';

/** How many keys do what they say. */
export interface Coverage {
  readonly total: number;
  readonly honoured: number;
  readonly inert: number;
  readonly pending: number;
}

/** Coverage of all keys, of the keys that the configuration document names, and of each section. */
export interface CoverageReport {
  readonly all: Coverage;
  readonly documented: Coverage;
  readonly sections: readonly (Coverage & { readonly file: 'server' | 'dashboard'; readonly section: string })[];
  readonly inertKeys: readonly { readonly path: string; readonly reason: string }[];
  /** Keys that are read and checked but have no effect yet; those of the dashboard's file begin with "dashboard:". */
  readonly pendingKeys: readonly string[];
}

/** Counts honoured, inert and pending keys of both files. */
export function coverageReport(): CoverageReport {
  const files = ['server', 'dashboard'] as const;
  const keys = files.flatMap((file) => catalogOf(file).keys);
  const sections = files.flatMap((file) =>
    [...Map.groupBy(catalogOf(file).keys, (key) => key.section)].map(([section, members]) => {
      return { file, section: section === '' ? '(top level)' : section, ...count(members) };
    }),
  );
  return {
    all: count(keys),
    documented: count(keys.filter((key) => key.documented)),
    sections,
    inertKeys: keys.filter((key) => key.treatment === 'inert').map((key) => ({ path: key.path, reason: key.effect })),
    pendingKeys: files.flatMap((file) =>
      catalogOf(file)
        .keys.filter((key) => statusOf(key) === 'pending')
        .map(({ path }) => (file === 'dashboard' ? `dashboard:${path}` : path)),
    ),
  };
}

function count(keys: readonly Key<unknown>[]): Coverage {
  const having = (status: Status) => keys.filter((key) => statusOf(key) === status).length;
  return { total: keys.length, honoured: having('honoured'), inert: having('inert'), pending: having('pending') };
}
