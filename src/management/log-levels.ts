import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { getLogger, listLoggers, rootLogLevel, setRootLogLevel, type LogLevel } from '#core';
import { refusal } from './conventions.ts';

/** The original's words for levels, and ours. */
const words: Readonly<Record<string, LogLevel>> = {
  OFF: 'silent',
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
  FATAL: 'fatal',
};

export interface NamedLogger {
  readonly name: string;
  /** The area whose log it is. */
  readonly area: string;
  readonly level: string;
}

/** The levels of loggers; what is changed is kept in a file and holds after a restart. */
export interface LogLevels {
  /** The root first. */
  list(): readonly NamedLogger[];
  /** @throws MillraceError 400 for an unknown logger or level */
  change(name: string, level: string): void;
  /** @throws MillraceError 400 for a name that there is already */
  add(name: string, area: string, level: string): void;
  forget(name: string): void;
  /** Reads the file again, which another process of the node has written. */
  reread(): void;
}

interface Stored {
  readonly root?: string;
  readonly loggers: Readonly<Record<string, { readonly area: string; readonly level: string }>>;
}

const rootName = 'rootLogger';

/** Opens the levels that `file` keeps and applies them. */
export function openLogLevels(file: string): LogLevels {
  const read = (): Stored => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Stored) : { loggers: {} });
  let stored = read();
  const initial = rootLogLevel();
  const apply = (): void => {
    if (stored.root !== undefined) setRootLogLevel(levelOf(stored.root));
    for (const { area, level } of Object.values(stored.loggers)) getLogger(area).level = levelOf(level);
  };
  apply();

  const keep = (next: Stored): void => {
    stored = next;
    mkdirSync(dirname(file), { recursive: true });
    const part = `${file}.part`;
    writeFileSync(part, `${JSON.stringify(next, null, 2)}\n`);
    renameSync(part, file);
  };

  const list = (): NamedLogger[] => {
    const areas = listLoggers()
      .map(({ area, level }) => ({ name: area, area, level: wordOf(level) }))
      .filter(({ name }) => !Object.hasOwn(stored.loggers, name));
    const own = Object.entries(stored.loggers).map(([name, logger]) => ({ name, ...logger }));
    return [
      { name: rootName, area: 'root', level: wordOf(rootLogLevel()) },
      ...[...areas, ...own].sort((left, right) => (left.name < right.name ? -1 : 1)),
    ];
  };

  const set = (name: string, area: string, word: string): void => {
    const level = levelOf(word);
    if (name === rootName) {
      setRootLogLevel(level);
      // Those with a level of their own keep it.
      for (const own of Object.values(stored.loggers)) getLogger(own.area).level = levelOf(own.level);
      keep({ ...stored, root: word });
    } else {
      getLogger(area).level = level;
      keep({ ...stored, loggers: { ...stored.loggers, [name]: { area, level: word } } });
    }
  };

  return {
    list,
    change(name, level) {
      const found = list().find((logger) => logger.name === name);
      if (!found) throw refusal(400, `There is no logger "${name}"`);
      set(name, found.area, level);
    },
    add(name, area, level) {
      if (list().some((logger) => logger.name === name)) throw refusal(400, `There is a logger "${name}" already`);
      if (!/^[\w.-]+$/.test(name) || !/^[\w.-]+$/.test(area)) {
        throw refusal(400, 'A logger and its class are called by letters, digits, dots and hyphens');
      }
      set(name, area, level);
    },
    reread() {
      const before = stored;
      stored = read();
      // The root's level comes to every logger; those with one of their own have it again.
      setRootLogLevel(stored.root === undefined ? initial : levelOf(stored.root));
      for (const { area } of Object.values(before.loggers)) getLogger(area).level = rootLogLevel();
      apply();
    },
    forget(name) {
      const own = Object.hasOwn(stored.loggers, name) ? stored.loggers[name] : undefined;
      if (name === rootName) {
        setRootLogLevel(initial);
        keep({ loggers: stored.loggers });
        return;
      }
      if (!own) throw refusal(400, `The logger "${name}" has no level of its own`);
      getLogger(own.area).level = rootLogLevel();
      keep({
        ...stored,
        loggers: Object.fromEntries(Object.entries(stored.loggers).filter(([each]) => each !== name)),
      });
    },
  };
}

/** @throws MillraceError 400 */
function levelOf(word: string): LogLevel {
  const level = Object.hasOwn(words, word) ? words[word] : undefined;
  if (level !== undefined) return level;
  throw refusal(400, `The level must be one of ${Object.keys(words).join(', ')}; found "${word}"`);
}

function wordOf(level: LogLevel): string {
  return Object.entries(words).find(([, ours]) => ours === level)?.[0] ?? 'INFO';
}
