import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MillraceError } from '#errors';

/** A statement that reads an embedded database. */
export interface BrowseTask {
  /** The file. */
  readonly path: string;
  readonly sql: string;
  readonly rowLimit: number;
  /** Names of columns whose values are not shown. */
  readonly hidden: readonly string[];
}

export interface BrowseResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** True when there are more rows. */
  readonly isCut: boolean;
}

/** What the other process says. */
export type BrowseReply = { readonly answer: BrowseResult } | { readonly failure: string };

/** Statements at once. */
const most = 2;
/** Megabytes that the other process may use for what is not SQLite's. */
const memoryLimit = 256;

let running = 0;

/**
 * Runs one reading statement on a connection of its own. Writing, and opening other files, is refused by the database
 * itself. It runs in another process: nothing but its end stops a statement within SQLite.
 *
 * @throws MillraceError `MR_DB_BROWSE` with what is wrong with the statement, or when it takes longer than `timeLimit`
 *   milliseconds
 */
export async function browseEmbedded(task: BrowseTask, timeLimit: number): Promise<BrowseResult> {
  if (running >= most) throw refused('Too many statements run at the same time');
  running++;
  const name = import.meta.url.endsWith('.ts') ? './browse-process.ts' : './browse-process.js';
  const child = fork(fileURLToPath(new URL(name, import.meta.url)), {
    execArgv: [`--max-old-space-size=${memoryLimit}`],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
  });
  // A process that could not be begun has no end to tell of.
  const ended = new Promise<undefined>((resolve) => {
    child.once('exit', () => resolve(undefined));
    child.on('error', () => resolve(undefined));
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, timeLimit);
  try {
    const said = new Promise<BrowseReply>((resolve) => {
      child.once('message', (reply) => resolve(reply as BrowseReply));
    });
    child.send(task);
    const reply = await Promise.race([said, ended]);
    if (reply === undefined) {
      throw refused(isLate ? `The statement took longer than ${timeLimit} ms` : 'The statement could not be run');
    }
    if ('failure' in reply) throw refused(reply.failure);
    return reply.answer;
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
    await ended;
    running--;
  }
}

function refused(message: string): MillraceError {
  return new MillraceError({ code: 'MR_DB_BROWSE', status: 400, message });
}
