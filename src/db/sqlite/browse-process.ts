import { DatabaseSync, constants, type SQLOutputValue } from 'node:sqlite';
import process from 'node:process';
import type { BrowseReply, BrowseResult, BrowseTask } from './browse.ts';

const { SQLITE_OK, SQLITE_DENY, SQLITE_IGNORE, SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE } =
  constants;

/** What a statement that only reads may do; everything else, such as opening another file, is refused. */
const reading: ReadonlySet<number> = new Set([SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE]);

/** Characters of a value that are shown. */
const valueLimit = 500;

process.once('message', (task: BrowseTask) => {
  process.send?.(replyTo(task));
});

function replyTo(task: BrowseTask): BrowseReply {
  try {
    return { answer: browse(task) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

function browse({ path, sql, rowLimit, hidden }: BrowseTask): BrowseResult {
  using database = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
  const isHidden = new Set(hidden);
  database.setAuthorizer((action, _, column) => {
    if (!reading.has(action)) return SQLITE_DENY;
    return action === SQLITE_READ && column !== null && isHidden.has(column) ? SQLITE_IGNORE : SQLITE_OK;
  });
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  const columns = statement.columns().map(({ name }) => name);
  const rows: string[][] = [];
  let isCut = false;
  for (const row of statement.iterate() as Iterable<unknown> as Iterable<readonly SQLOutputValue[]>) {
    if (rows.length === rowLimit) {
      isCut = true;
      break;
    }
    rows.push(row.map(shown));
  }
  return { columns, rows, isCut };
}

function shown(value: SQLOutputValue): string {
  if (value === null) return 'NULL';
  const text = value instanceof Uint8Array ? `x'${Buffer.from(value).toString('hex')}'` : String(value);
  return text.length > valueLimit ? `${text.slice(0, valueLimit)}…` : text;
}
