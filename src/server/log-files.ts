import { millrace, type Config } from '#config';
import { createLogFiles, type Home, type LogFiles } from '#core';

/** Log files that hold what is logged until `beginLogFiles` knows whether they are wanted. */
export function openLogFiles(home: Home, rotates: boolean): LogFiles {
  return createLogFiles({ folder: home.logs, rotates });
}

/** Begins to write them, unless the configuration is against it: then nothing is held any longer. */
export async function beginLogFiles(files: LogFiles | undefined, config: Config): Promise<LogFiles | undefined> {
  if (!files) return undefined;
  if (!config.get(millrace.logFilesEnable)) {
    await files[Symbol.asyncDispose]();
    return undefined;
  }
  files.begin({ size: config.get(millrace.logFilesMaxSize), files: config.get(millrace.logFilesMaxFiles) });
  return files;
}
