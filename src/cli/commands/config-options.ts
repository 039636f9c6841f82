import process from 'node:process';
import { configFileOf, loadConfig, type LoadedConfig } from '#config';
import { formatProblem, MillraceError } from '#errors';

/** Options of every command that reads a configuration. */
export const configOptions = {
  home: { type: 'string', description: 'Directory of the home', default: '.', valueHint: 'DIR' },
  config: { type: 'string', description: 'Configuration file, when it is not the one of the home', valueHint: 'FILE' },
  dashboard: { type: 'boolean', description: 'The file is that of the dashboard' },
} as const;

/** The values of `configOptions` as a command gets them. */
export interface ConfigArguments {
  readonly home: string;
  readonly config?: string | undefined;
  readonly dashboard?: boolean | undefined;
}

/** The configuration file that the options name; undefined, with a message and exit code 2, when there is none. */
export function namedFile(args: ConfigArguments): string | undefined {
  try {
    return args.config ?? configFileOf(args.home);
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    fail(error.message);
    return undefined;
  }
}

/**
 * Reads the configuration that the options name, secrets left encrypted. Errors in the file go to standard error and
 * set exit code 1; without a file the result is undefined and the exit code 2.
 */
export function openConfig(args: ConfigArguments): LoadedConfig | undefined {
  const file = namedFile(args);
  if (file === undefined) return undefined;
  const loaded = loadConfig({
    file,
    catalog: args.dashboard === true ? 'dashboard' : 'server',
    env: process.env,
    systemProperties: { 'carbon.home': args.home },
  });
  const errors = loaded.problems.filter(({ severity }) => severity === 'error');
  for (const problem of errors) console.error(formatProblem(problem));
  if (errors.length > 0) process.exitCode = 1;
  return loaded;
}

/** Says what was used wrongly and sets exit code 2. */
export function fail(message: string): void {
  console.error(`error: ${message}`);
  process.exitCode = 2;
}
