import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { SourceNode } from '#xml';
import type { NamedFile } from './named-file.ts';

/** Where a project keeps archives of connectors, and a home. */
const folders = ['', 'src/main/wso2mi/resources/connectors', 'connectors', 'synapse-libs', 'target/dependencies'];
/** Where the build of a project keeps what it has fetched. */
const fetched = join(homedir(), '.m2/repository/org/wso2/integration/connector');

/**
 * The archive of a connector that a suite names: by a path as other files, by `ARTIFACT-VERSION` as the build of the
 * project knows it, or by its content in base64 (mediators 17). An absent one is reported.
 */
export function readNamedConnector(node: SourceNode, suite: string): NamedFile | undefined {
  const name = node.text();
  // Every zip archive begins with these letters.
  if (/^UEsDB[\sA-Za-z\d+/=]{40,}$/.test(name)) {
    const { line } = node.position();
    return { file: `${suite}!/connector:${line}`, content: Buffer.from(name, 'base64') };
  }
  const file = name === '' ? undefined : findConnector(name.replace(/(?<!\.zip)$/i, '.zip'), suite);
  if (file !== undefined) return { file, content: readFileSync(file) };
  const problem =
    name === ''
      ? `<${node.local}> needs the path of a connector's archive, or ARTIFACT-VERSION`
      : `there is no connector "${name}" in the folders above the suite, in their ${folders.slice(1, -1).join(', ')}, or in ${fetched}`;
  node.error(problem, { code: 'MR_UNIT_TEST_CONNECTOR' });
  return undefined;
}

function findConnector(path: string, suite: string): string | undefined {
  for (let folder = resolve(dirname(suite)); ; folder = dirname(folder)) {
    const found = folders.map((each) => join(folder, each, path)).find(isFile);
    if (found !== undefined || folder === dirname(folder)) return found ?? findFetched(path);
  }
}

function findFetched(path: string): string | undefined {
  const parts = /^(.+?)-(\d[^/]*)\.zip$/.exec(path);
  const file = join(fetched, parts?.[1] ?? '', parts?.[2] ?? '', path);
  return isFile(file) ? file : undefined;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
