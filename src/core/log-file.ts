import { mkdirSync, openSync, writeSync } from 'node:fs';
import { mkdir, open, readdir, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { toError } from '#errors';
import type { Clock } from './clock.ts';

/** How large a log file grows, and how many full ones are kept besides. */
export interface LogFileLimits {
  /** Bytes. */
  readonly size: number;
  readonly files: number;
}

export interface LogFileOptions {
  /** Path of the file that is written; full ones stand beside it as `NAME-YYYY-MM-DD.N.EXTENSION`. */
  readonly path: string;
  readonly mode: number;
  readonly clock: Clock;
  /** False where another process of the node puts full files aside. */
  readonly rotates: boolean;
  onFailure(error: Error): void;
  /** @param lost lines that were not written meanwhile */
  onRecovery(lost: number): void;
}

/** Milliseconds for which lines are gathered, and after which a file that cannot be written is tried again. */
const gathering = 200;
const retryPause = 10_000;
/** Characters that are written at once, and that are held for a slow disk. */
const portion = 256 * 1024;
const mostHeld = 8 * 1024 * 1024;

/**
 * A file of lines that grows to a limit and is then put aside, as it is at the end of a day. Lines are gathered and
 * written without holding up who logs. Several processes may write the same file: each write appends whole lines.
 */
export class LogFile {
  readonly #options: LogFileOptions;
  #limits: LogFileLimits | undefined;
  #lines: string[] = [];
  #held = 0;
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #busy: Promise<void> | undefined;
  #handle: FileHandle | undefined;
  #inode = 0;
  /** The day of the lines in the file. */
  #day: string | undefined;
  #isTorn = false;
  #isFailing = false;
  #retryAt = 0;
  /** What was taken and is not yet on its way to the file. */
  #unwritten = '';

  constructor(options: LogFileOptions) {
    this.#options = options;
  }

  /** Takes a line with its end; it is held until `begin`. */
  write(line: string): void {
    if (this.#held + line.length > mostHeld) {
      this.#lost++;
      return;
    }
    this.#lines.push(line);
    this.#held += line.length;
    if (this.#limits === undefined) return;
    if (this.#held >= portion) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), gathering).unref();
  }

  begin(limits: LogFileLimits): void {
    this.#limits = limits;
    this.#start();
  }

  /** Puts the file aside when it is full or of another day, whoever wrote it. */
  check(): void {
    if (this.#limits !== undefined) this.#start();
  }

  /** Writes what is held before the process ends; a write that is under way ends by itself. */
  writeNow(): void {
    const text = this.#unwritten + this.#take(Infinity);
    if (this.#limits === undefined || text === '') return;
    const { path, mode } = this.#options;
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeSync(this.#handle?.fd ?? openSync(path, 'a', mode), text);
    } catch (error) {
      this.#fail(toError(error), 0);
    }
  }

  async close(): Promise<void> {
    await this.#busy;
    this.#retryAt = 0;
    if (this.#lines.length > 0) await this.#work();
    clearTimeout(this.#timer);
    await this.#handle?.close();
    this.#handle = undefined;
    this.#limits = undefined;
  }

  #start(): void {
    this.#busy ??= this.#work().finally(() => {
      this.#busy = undefined;
      if (this.#lines.length > 0) this.#timer ??= setTimeout(() => this.#start(), gathering).unref();
    });
  }

  async #work(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#limits === undefined) return;
    const { clock } = this.#options;
    let count = 0;
    try {
      if (clock.now() < this.#retryAt) {
        this.#lost += this.#lines.length;
        this.#take(Infinity);
        return;
      }
      await this.#putAside();
      while (this.#lines.length > 0) {
        const before = this.#lines.length;
        const text = this.#take(portion);
        count = before - this.#lines.length;
        this.#unwritten = text;
        await this.#append(await this.#open(), text);
        if (this.#isFailing) {
          const lost = this.#lost;
          this.#lost = 0;
          this.#isFailing = false;
          this.#options.onRecovery(lost);
        }
        if (this.#lines.length > 0) await this.#putAside();
      }
    } catch (error) {
      this.#fail(toError(error), count);
    }
  }

  /** Takes lines of at most so many characters together, but one at least. */
  #take(most: number): string {
    let end = 0;
    let size = 0;
    while (end < this.#lines.length && (end === 0 || size + (this.#lines[end]?.length ?? 0) <= most)) {
      size += this.#lines[end]?.length ?? 0;
      end++;
    }
    const lines = this.#lines.splice(0, end);
    this.#held -= size;
    return lines.join('');
  }

  #fail(error: Error, lost: number): void {
    const isNew = !this.#isFailing;
    this.#unwritten = '';
    this.#isFailing = true;
    this.#retryAt = this.#options.clock.now() + retryPause;
    this.#lost += lost;
    if (isNew) this.#options.onFailure(error);
  }

  /** The open file at the path; another one when somebody has moved that away. */
  async #open(): Promise<FileHandle> {
    const { path, mode } = this.#options;
    const there = await factsOf(path);
    if (this.#handle && there?.ino === this.#inode) return this.#handle;
    await this.#handle?.close();
    this.#handle = undefined;
    await mkdir(dirname(path), { recursive: true });
    const handle = await open(path, 'a', mode);
    this.#handle = handle;
    this.#inode = (await handle.stat()).ino;
    this.#day ??= this.#today();
    return handle;
  }

  async #append(handle: FileHandle, text: string): Promise<void> {
    // What a full disk has cut off does not become the beginning of another line.
    const bytes = Buffer.from(this.#isTorn ? `\n${text}` : text);
    for (let at = 0; at < bytes.length;) {
      this.#isTorn = at > 0;
      const written = handle.write(bytes, at);
      this.#unwritten = '';
      at += (await written).bytesWritten;
    }
    this.#isTorn = false;
  }

  async #putAside(): Promise<void> {
    const { path, rotates } = this.#options;
    if (!rotates || this.#limits === undefined) return;
    const there = await factsOf(path);
    if (!there || there.size === 0) return;
    this.#day ??= dayOf(there.mtimeMs);
    const today = this.#today();
    if (there.size < this.#limits.size && this.#day === today) return;
    await archive(path, this.#day, this.#limits.files);
    this.#day = today;
  }

  #today(): string {
    return dayOf(this.#options.clock.now());
  }
}

async function factsOf(path: string): Promise<{ ino: number; size: number; mtimeMs: number } | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    const { code } = toError(error) as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Gives the file the next name of its day, and removes the oldest ones beyond `files`. */
async function archive(path: string, day: string, files: number): Promise<void> {
  const folder = dirname(path);
  const [, base = '', extension = ''] = /([^/\\]*?)(\.[^.]*)?$/.exec(path) ?? [];
  const pattern = new RegExp(`^${RegExp.escape(base)}-(\\d{4}-\\d\\d-\\d\\d)\\.(\\d+)${RegExp.escape(extension)}$`);
  const known = (await readdir(folder)).flatMap((name) => {
    const [, date = '', number = ''] = pattern.exec(name) ?? [];
    return date === '' ? [] : [{ name, date, number: Number(number) }];
  });
  const number = 1 + Math.max(0, ...known.filter(({ date }) => date === day).map((file) => file.number));
  const name = `${base}-${day}.${number}${extension}`;
  await rename(path, join(folder, name));
  const all = [...known, { name, date: day, number }].sort(
    (left, right) => left.date.localeCompare(right.date) || left.number - right.number,
  );
  for (const old of all.slice(0, Math.max(0, all.length - files))) await unlink(join(folder, old.name));
}

/** The day of the machine, such as `2026-03-01`. */
function dayOf(milliseconds: number): string {
  const date = new Date(milliseconds);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
