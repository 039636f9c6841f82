import { pino, type DestinationStream } from 'pino';
import { createPrettyStream } from './log-pretty.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
export type LogFields = Readonly<Record<string, unknown>>;

/** A structured logger of one area. Fields come first, the message text stays constant. */
export interface Logger {
  readonly area: string;
  level: LogLevel;
  isEnabled(level: LogLevel): boolean;
  trace(fields: LogFields, message: string): void;
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** For artifacts that ask for this level; what the server says of itself is an error at most. */
  fatal(fields: LogFields, message: string): void;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** `pretty` for a person on a terminal, `json` otherwise. */
  readonly format: 'pretty' | 'json';
  /** Receives each finished line; standard output when absent. */
  readonly destination?: { write(line: string): void };
  /** What every line has besides its own fields. */
  readonly fields?: LogFields;
}

/** Gets every line besides the destination, as JSON with its end. */
export interface LogSink {
  /** @param isError true for a line of level `error` or worse */
  write(line: string, isError: boolean): void;
}

const sinks = new Set<LogSink>();
/** The number of the level `error` in pino. */
const errorLevel = 50;
let root = pino({ level: 'info', base: null }, spread(standardOutput()));
const loggers = new Map<string, AreaLogger>();
/** What every line has as long as somebody wants it there. */
let common: LogFields = {};

/** A closed terminal or pipe takes the lines along; it must not take the server along while that stops. */
function standardOutput(): ReturnType<typeof pino.destination> {
  const output = pino.destination({ fd: 1, sync: true });
  let isTold = false;
  output.on('error', (error: Error) => {
    if (!isTold) console.error(`The log cannot be written: ${error.message}`);
    isTold = true;
  });
  return output;
}

/** A destination that hands each line to the sinks too; pino tells it the level of the line before that. */
function spread(destination: { write(line: string): unknown }): DestinationStream {
  const stream = {
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string): void {
      destination.write(line);
      for (const sink of sinks) sink.write(line, stream.lastLevel >= errorLevel);
    },
  };
  return stream;
}

/** Hands every line from now on to `sink`, until the result is disposed. */
export function addLogSink(sink: LogSink): Disposable {
  sinks.add(sink);
  return {
    [Symbol.dispose]() {
      sinks.delete(sink);
    },
  };
}

/** Configures where and how everything is logged; loggers that exist already follow. */
export function configureLog(options: LogOptions): void {
  const destination = options.destination ?? standardOutput();
  const stream = options.format === 'pretty' ? createPrettyStream(destination) : destination;
  const base = options.fields ?? null;
  root = pino({ level: options.level, base, formatters: { level: (label) => ({ level: label }) } }, spread(stream));
  for (const logger of loggers.values()) logger.rebind();
}

/** Adds fields to every line from now on; disposing the result takes them away again. */
export function addLogFields(fields: LogFields): Disposable {
  const replace = (next: LogFields): void => {
    common = next;
    for (const logger of loggers.values()) logger.rebind(logger.level);
  };
  replace({ ...common, ...fields });
  return {
    [Symbol.dispose]() {
      replace(Object.fromEntries(Object.entries(common).filter(([name]) => !Object.hasOwn(fields, name))));
    },
  };
}

/** The logger of `area`, such as `api` or `transport.http`; one instance per area. */
export function getLogger(area: string): Logger {
  let logger = loggers.get(area);
  if (!logger) {
    logger = new AreaLogger(area);
    loggers.set(area, logger);
  }
  return logger;
}

/** Every logger so far, by area. */
export function listLoggers(): readonly Logger[] {
  return [...loggers.values()].sort((left, right) => (left.area < right.area ? -1 : 1));
}

export function rootLogLevel(): LogLevel {
  return root.level as LogLevel;
}

/** Changes the level of every logger at once. */
export function setRootLogLevel(level: LogLevel): void {
  root.level = level;
  for (const logger of loggers.values()) logger.level = level;
}

class AreaLogger implements Logger {
  readonly area: string;
  #sink;

  constructor(area: string) {
    this.area = area;
    this.#sink = root.child({ area, ...common });
  }

  get level(): LogLevel {
    return this.#sink.level as LogLevel;
  }

  set level(level: LogLevel) {
    this.#sink.level = level;
  }

  rebind(level?: LogLevel): void {
    this.#sink = root.child({ area: this.area, ...common }, level === undefined ? {} : { level });
  }

  isEnabled(level: LogLevel): boolean {
    return this.#sink.isLevelEnabled(level);
  }

  trace(fields: LogFields, message: string): void {
    this.#sink.trace(fields, message);
  }

  debug(fields: LogFields, message: string): void {
    this.#sink.debug(fields, message);
  }

  info(fields: LogFields, message: string): void {
    this.#sink.info(fields, message);
  }

  warn(fields: LogFields, message: string): void {
    this.#sink.warn(fields, message);
  }

  error(fields: LogFields, message: string): void {
    this.#sink.error(fields, message);
  }

  fatal(fields: LogFields, message: string): void {
    this.#sink.fatal(fields, message);
  }
}
