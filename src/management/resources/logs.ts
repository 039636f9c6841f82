import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { resolveInside } from '#core';
import { defineOperation, type Operation } from '#rest';
import { bareRefusal, listOf, queryText, searched } from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';

/** `/logs` (management 1.7): the files of the log folder, nothing else of the machine. */
export function logsOperations({ home }: ManagedRuntime): readonly Operation[] {
  return [
    defineOperation({
      id: 'getLogs',
      method: 'GET',
      path: '/logs',
      summary: 'Log files, or the content of the one that file names',
      responses: { 200: { description: 'The list under count and list, or the file' } },
      scope: 'read',
      handle({ query }) {
        const name = queryText(query, 'file');
        if (name !== undefined) return contentOf(home.logs, name);
        const files = searched(filesOf(home.logs), query);
        if (files.length === 0) return listOf([{ FileName: 'NO_LOG_FILES', Size: '---' }]);
        return listOf(files.map((file) => ({ FileName: file.name, Size: sizeText(file.size) })));
      },
    }),
  ];
}

function filesOf(folder: string): { name: string; size: number }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.lck'))
    .map(({ name }) => ({ name, size: statSync(join(folder, name)).size }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

function contentOf(folder: string, name: string): Response {
  const known = filesOf(folder).some((file) => file.name === name);
  // The original answers so for a file that is not there.
  if (!known) throw bareRefusal(500, `There is no log file "${name}"`);
  const bytes = readFileSync(resolveInside(folder, name));
  return new Response(bytes, {
    headers: { 'Content-Type': 'application/txt', 'Content-Length': String(bytes.length), 'Cache-Control': 'no-store' },
  });
}

function sizeText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return unit === 0 ? `${size} B` : `${size.toFixed(1)} ${units[unit]}`;
}
