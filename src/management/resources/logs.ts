import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveInside } from '#core';
import { defineOperation, type Operation } from '#rest';
import { bareRefusal, listOf, refusal, queryText, searched } from '../conventions.ts';
import type { ManagedRuntime } from '../runtime.ts';

/** Bytes of one answer about a part of a file. */
const mostBytes = 1024 * 1024;
const newline = 0x0a;

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
    defineOperation({
      id: 'getLogPart',
      method: 'GET',
      path: '/millrace/log-parts/{file}',
      summary:
        'Whole lines of a log file: those after the byte offset, or the last ones when there is none. ' +
        'What follows is asked for with next; a file that is shorter than the offset began anew and is read from its beginning',
      parameters: {
        query: (z) =>
          z.object({
            offset: z.coerce.number().int().min(0).optional(),
            limit: z.coerce
              .number()
              .int()
              .min(1)
              .max(mostBytes)
              .default(mostBytes / 4),
          }),
      },
      responses: {
        200: { description: 'offset, next and size in bytes, and the text between' },
        404: { description: 'No such file' },
      },
      scope: 'read',
      async handle({ path, query }) {
        const name = path['file'] ?? '';
        const known = filesOf(home.logs).find((file) => file.name === name);
        if (!known) throw refusal(404, `There is no log file "${name}"`);
        return linesOf(resolveInside(home.logs, name), known.size, query);
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

/** Lines that are whole: one that is still written comes with the next part, unless it alone is longer than the limit. */
async function linesOf(
  file: string,
  size: number,
  { offset, limit }: { readonly offset?: number | undefined; readonly limit: number },
): Promise<{ offset: number; next: number; size: number; text: string }> {
  const isTail = offset === undefined;
  const from = isTail ? Math.max(0, size - limit) : offset > size ? 0 : offset;
  await using handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(limit, size - from)), { position: from });
  const bytes = buffer.subarray(0, bytesRead);
  // The end of a file begins within a line.
  const begin = isTail && from > 0 ? bytes.indexOf(newline) + 1 : 0;
  const last = bytes.lastIndexOf(newline) + 1;
  const end = last > begin || bytesRead < limit ? Math.max(begin, last) : bytesRead;
  return { offset: from + begin, next: from + end, size, text: bytes.toString('utf8', begin, end) };
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
