import { open, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { resolveInside } from '#core';
import { MillraceError } from '#errors';
import { pageHeaders } from './pages.ts';

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
};

export interface StaticOptions {
  /** Path prefix of the request that stands for the directory, such as `/dashboard/assets`. */
  readonly prefix: string;
  /** `Cache-Control`; `no-cache`, which asks by ETag each time, when absent. */
  readonly cacheControl?: string;
}

/** Answers with a file of a directory, or undefined when it is not there, so that the caller may do something else. */
export type StaticFiles = (request: Request) => Promise<Response | undefined>;

/**
 * Serves the files below `root`: GET and HEAD, ETag and 304, a `.br` or `.gz` sibling where the client takes it.
 * Paths and symbolic links cannot leave the root, and files whose name begins with a dot do not exist.
 */
export function createStaticFiles(root: string, options: StaticOptions): StaticFiles {
  return async (request) => {
    const path = relativePath(request, options.prefix);
    if (path === undefined) return undefined;
    const plain = await fileAt(root, path);
    if (!plain) return undefined;
    const coded = await codedSibling(root, path, request.headers.get('Accept-Encoding') ?? '');
    const file = coded ?? plain;
    const headers = {
      ...pageHeaders(),
      'Content-Type': mediaTypes[extname(path).toLowerCase()] ?? 'application/octet-stream',
      'Cache-Control': options.cacheControl ?? 'no-cache',
      ETag: `"${file.size.toString(36)}-${Math.trunc(file.modified).toString(36)}${coded ? `-${coded.coding}` : ''}"`,
      Vary: 'Accept-Encoding',
      ...(coded && { 'Content-Encoding': coded.coding }),
    };
    if (matches(request.headers.get('If-None-Match'), headers.ETag))
      return new Response(null, { status: 304, headers });
    const full = { headers: { ...headers, 'Content-Length': String(file.size) } };
    return request.method === 'HEAD' ? new Response(null, full) : new Response(await streamFile(file), full);
  };
}

interface StaticFile {
  readonly path: string;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
}

function relativePath(request: Request, prefix: string): string | undefined {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith(`${prefix}/`)) return undefined;
  try {
    const path = decodeURIComponent(pathname.slice(prefix.length + 1));
    return path.split('/').some((segment) => segment.startsWith('.')) ? undefined : path;
  } catch {
    // What cannot be decoded names no file.
    return undefined;
  }
}

async function fileAt(root: string, path: string): Promise<StaticFile | undefined> {
  try {
    const target = resolveInside(root, path);
    const facts = await stat(target);
    return facts.isFile() ? { path: target, size: facts.size, modified: facts.mtimeMs } : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof MillraceError || code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') {
      return undefined;
    }
    throw error;
  }
}

async function codedSibling(
  root: string,
  path: string,
  accepted: string,
): Promise<(StaticFile & { readonly coding: string }) | undefined> {
  const codings = accepted.split(',').map((coding) => coding.trim().toLowerCase());
  for (const [coding, ending] of [
    ['br', '.br'],
    ['gzip', '.gz'],
  ] as const) {
    if (!codings.includes(coding)) continue;
    const file = await fileAt(root, path + ending);
    if (file) return { ...file, coding };
  }
  return undefined;
}

function matches(condition: string | null, etag: string): boolean {
  if (condition === null) return false;
  return condition.split(',').some((candidate) => ['*', etag, `W/${etag}`].includes(candidate.trim()));
}

async function streamFile(file: StaticFile): Promise<ReadableStream<Uint8Array> | null> {
  if (file.size === 0) return null;
  const handle = await open(file.path);
  // A file that grows meanwhile must not exceed the length that was declared.
  return Readable.toWeb(handle.createReadStream({ end: file.size - 1 })) as ReadableStream<Uint8Array>;
}
