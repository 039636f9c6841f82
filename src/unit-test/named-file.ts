import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SourceNode } from '#xml';

/** A file that a suite names. */
export interface NamedFile {
  readonly file: string;
  readonly content: Buffer;
}

/**
 * Reads the file whose path stands in an element. Paths begin at the project or at a folder around it, with or without
 * a slash, so each folder above the suite is tried, the nearest first. An absent file is reported.
 */
export function readNamedFile(node: SourceNode, suite: string): NamedFile | undefined {
  const path = node.text();
  for (let folder = dirname(suite); ; folder = dirname(folder)) {
    const file = join(folder, path);
    if (path !== '' && statSync(file, { throwIfNoEntry: false })?.isFile())
      return { file, content: readFileSync(file) };
    if (folder === dirname(folder)) break;
  }
  const message = `there is no file "${path}" in the folders above the suite`;
  node.error(path === '' ? `<${node.local}> needs the path of a file` : message, { code: 'MR_UNIT_TEST_FILE' });
  return undefined;
}
