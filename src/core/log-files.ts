import { join } from 'node:path';
import process from 'node:process';
import type { AuditRecord } from './audit.ts';
import { auditLine } from './audit-line.ts';
import { type Clock, systemClock } from './clock.ts';
import { LogFile, type LogFileLimits } from './log-file.ts';
import { addLogSink, getLogger, type LogSink } from './log.ts';

/** Names by which operators of the original know the files. */
export const logFileNames = { main: 'wso2carbon.log', errors: 'wso2error.log', audit: 'audit.log' } as const;

export interface LogFilesOptions {
  readonly folder: string;
  /** False for a worker, whose supervisor puts full files aside. */
  readonly rotates: boolean;
  readonly clock?: Clock;
}

/** The files that a server writes its log to, besides its standard output. */
export interface LogFiles extends AsyncDisposable {
  /** Writes what was logged so far, and what follows. Until then nothing is touched. */
  begin(limits: LogFileLimits): void;
  /** Takes an audit record, whatever the levels of loggers are. */
  readonly audit: (record: AuditRecord) => void;
}

const log = getLogger('log.files');

/** How often files that other processes write are looked at. */
const checkPause = 5_000;

/**
 * Files of the log: all of it, its errors, and the audit. What cannot be written is told once in the log, which stays
 * on standard output; the lines are lost to the files until they can be written again.
 */
export function createLogFiles({ folder, rotates, clock = systemClock }: LogFilesOptions): LogFiles {
  const failing = new Set<string>();
  let lines = 0;
  const fileOf = (name: string, mode: number): LogFile =>
    new LogFile({
      path: join(folder, name),
      mode,
      clock,
      rotates,
      onFailure(err) {
        failing.add(name);
        if (failing.size === 1)
          log.warn({ folder, err }, 'log files cannot be written; standard output has every line');
      },
      onRecovery(lost) {
        lines += lost;
        failing.delete(name);
        if (failing.size > 0) return;
        log.warn({ folder, lines }, 'log files are written again; lines are missing in them');
        lines = 0;
      },
    });
  const main = fileOf(logFileNames.main, 0o640);
  const errors = fileOf(logFileNames.errors, 0o640);
  const audit = fileOf(logFileNames.audit, 0o600);
  const files = [main, errors, audit];

  const sink: LogSink = {
    write(line, isError) {
      main.write(line);
      if (isError) errors.write(line);
    },
  };
  const logged = addLogSink(sink);
  const crashed = (error: unknown): void =>
    log.error({ err: error }, 'the process ends by an error that nobody caught');
  const ending = (): void => {
    for (const file of files) file.writeNow();
  };
  let timer: NodeJS.Timeout | undefined;

  return {
    begin(limits) {
      for (const file of files) file.begin(limits);
      process.on('uncaughtExceptionMonitor', crashed);
      process.on('exit', ending);
      const check = (): void => {
        for (const file of files) file.check();
      };
      if (rotates) timer = setInterval(check, checkPause).unref();
    },
    audit: (record) => audit.write(auditLine(record)),
    async [Symbol.asyncDispose]() {
      logged[Symbol.dispose]();
      clearInterval(timer);
      await Promise.all(files.map((file) => file.close()));
      process.off('uncaughtExceptionMonitor', crashed);
      process.off('exit', ending);
    },
  };
}
