import { styleText } from 'node:util';
import process from 'node:process';
import { defineCommand, runCommand, showUsage } from 'citty';
import { MillraceError, ProblemsError, messageOf } from '#errors';
import { checkOptions } from './check-options.ts';
import { commandToShow } from './help.ts';
import { version } from './version.ts';

/** Every command, loaded when it is used: one line each. */
const commands = {
  start: async () => (await import('./commands/start.ts')).startCommand,
  run: async () => (await import('./commands/run.ts')).runProjectCommand,
  reload: async () => (await import('./commands/reload.ts')).reloadCommand,
  check: async () => (await import('./commands/check.ts')).checkCommand,
  quickstart: async () => (await import('./commands/quickstart.ts')).quickstartCommand,
  config: async () => (await import('./commands/config.ts')).configCommand,
  dashboard: async () => (await import('./commands/dashboard.ts')).dashboardCommand,
  db: async () => (await import('./commands/db.ts')).dbCommand,
  worker: async () => (await import('./commands/worker.ts')).workerCommand,
  user: async () => (await import('./commands/user.ts')).userCommand,
  tenant: async () => (await import('./commands/tenant.ts')).tenantCommand,
  client: async () => (await import('./commands/client.ts')).clientCommand,
  key: async () => (await import('./commands/key.ts')).keyCommand,
  token: async () => (await import('./commands/token.ts')).tokenCommand,
  notify: async () => (await import('./commands/notify.ts')).notifyCommand,
  secret: async () => (await import('./commands/secret.ts')).secretCommand,
  login: async () => (await import('./commands/login.ts')).loginCommand,
  get: async () => (await import('./commands/get.ts')).getCommand,
  activate: async () => (await import('./commands/steer.ts')).activateCommand,
  deactivate: async () => (await import('./commands/steer.ts')).deactivateCommand,
  trigger: async () => (await import('./commands/steer.ts')).triggerCommand,
  trace: async () => (await import('./commands/trace.ts')).traceCommand,
  log: async () => (await import('./commands/log.ts')).logCommand,
  deploy: async () => (await import('./commands/deploy.ts')).deployCommand,
  undeploy: async () => (await import('./commands/deploy.ts')).undeployCommand,
  test: async () => (await import('./commands/test.ts')).testCommand,
};

const main = defineCommand({
  meta: { name: 'millrace', version, description: 'Integration platform: millrace start, or millrace run PATH' },
  subCommands: commands,
});

/** Exit codes: 1 says that something is wrong with what was given, 2 that the command was used wrongly. */
const exitCodes = { problems: 1, usage: 2 };

/**
 * Runs what a command line asks for; what goes wrong is written to the error stream.
 *
 * @param args words after the program's name
 * @returns the exit code; undefined leaves it as the command set it
 */
export async function runProgram(args: string[]): Promise<number | undefined> {
  try {
    if (args.length === 0 || args.includes('--help') || args.includes('-h'))
      await showUsage(...(await commandToShow(main, args)));
    else if (args[0] === '--version') console.log(version);
    else {
      await checkOptions(main, args);
      await runCommand(main, { rawArgs: args });
    }
  } catch (error) {
    const isUsage = error instanceof Error && (error.name === 'CLIError' || isWrongOption(error));
    console.error(describe(error));
    if (isUsage) console.error('\nTry: millrace --help');
    return isUsage ? exitCodes.usage : exitCodes.problems;
  }
  return undefined;
}

function isWrongOption(error: Error): boolean {
  return error instanceof MillraceError && error.code === 'MR_CLI_OPTION';
}

/** What a person needs of an error: expected failures by their text, others with their stack. */
function describe(error: unknown): string {
  const red = (text: string): string => (process.stderr.isTTY ? styleText('red', text) : text);
  if (error instanceof ProblemsError) return error.message;
  if (error instanceof MillraceError || (error instanceof Error && error.name === 'CLIError')) {
    return `${red('error:')} ${messageOf(error)}`;
  }
  return `${red('error:')} ${error instanceof Error ? (error.stack ?? error.message) : messageOf(error)}`;
}
