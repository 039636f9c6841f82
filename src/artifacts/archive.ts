import { fromBufferPromise } from 'yauzl';
import { MillraceError, messageOf } from '#errors';

/** What an archive may hold at most: a zip bomb must end as an error, not as a full memory. */
const limits = { entries: 20_000, bytes: 256 * 1024 * 1024, ratio: 200, ratioFloor: 16 * 1024 * 1024 };

/** The entries of a zip archive by their path; directories are left out. */
export type ArchiveEntries = ReadonlyMap<string, Buffer>;

/**
 * Reads a whole zip archive. Paths that are absolute, contain `..` or a backslash, and names that occur twice (also in
 * another case) are refused, as are archives beyond the limits.
 *
 * @throws MillraceError `MR_ARCHIVE_INVALID` with the file's name
 */
export async function readArchive(file: string, content: Buffer): Promise<ArchiveEntries> {
  const refuse = (reason: string, cause?: unknown): MillraceError =>
    new MillraceError({ code: 'MR_ARCHIVE_INVALID', message: `${file}: ${reason}`, cause });
  const entries = new Map<string, Buffer>();
  const folded = new Set<string>();
  let total = 0;
  try {
    const zip = await fromBufferPromise(content, { lazyEntries: true, strictFileNames: true });
    if (zip.entryCount > limits.entries) throw refuse(`more than ${limits.entries} entries`);
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName;
      if (name.endsWith('/')) continue;
      if (folded.has(name.toLowerCase())) throw refuse(`the name ${name} occurs twice`);
      folded.add(name.toLowerCase());
      total += entry.uncompressedSize;
      if (total > limits.bytes) throw refuse(`more than ${limits.bytes} bytes unpacked`);
      const isSuspicious = entry.uncompressedSize > Math.max(limits.ratioFloor, entry.compressedSize * limits.ratio);
      if (isSuspicious) throw refuse(`${name} unpacks to ${entry.uncompressedSize} bytes from ${entry.compressedSize}`);
      const chunks: Buffer[] = [];
      for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
      entries.set(name, Buffer.concat(chunks));
    }
  } catch (error) {
    throw error instanceof MillraceError ? error : refuse(`is no archive that can be read: ${messageOf(error)}`, error);
  }
  return entries;
}
