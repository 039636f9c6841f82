import { isEnabledImport } from './kinds/index.ts';
import type { ReadResult } from './read.ts';
import type { ArtifactFile } from './sources.ts';

/** Templates of connectors that nothing imports do nothing, whatever is wrong with them (mediators 15). */
export function withoutUnused<Result extends { readonly source: ArtifactFile; readonly result: ReadResult }>(
  results: readonly Result[],
): readonly Result[] {
  const imported = new Set(
    results.flatMap(({ result }) => result.artifacts.filter((each) => isEnabledImport(each)).map(({ name }) => name)),
  );
  return results.filter(
    ({ source }) => !source.connector || imported.has(source.connector.id) || source.connector.isImported,
  );
}

/** The operations of each connector, with the names of their templates. */
export function connectorsOf(files: readonly ArtifactFile[]): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const connectors = new Map<string, Map<string, string>>();
  for (const { connector } of files) {
    if (!connector) continue;
    const operations = connectors.get(connector.name) ?? new Map<string, string>();
    connectors.set(connector.name, operations.set(connector.operation, connector.template));
  }
  return connectors;
}
