import process from 'node:process';
import { defineCommand } from 'citty';
import { createHome } from '#core';
import { MillraceError } from '#errors';
import { pidFileOf, readPid } from '../pid-file.ts';

/** `millrace reload`: has a running server read its configuration again. */
export const reloadCommand = defineCommand({
  meta: {
    name: 'reload',
    description:
      'Have the server of a home read its configuration again. Its log says which keys hold now and which need a restart; with several workers each is replaced by a new one.\n\nExample: millrace reload --home /var/lib/millrace\n',
  },
  args: {
    home: { type: 'string', description: 'Home directory (MILLRACE_HOME, else the current directory)' },
  },
  async run({ args }) {
    const directory = args.home ?? process.env['MILLRACE_HOME'] ?? process.cwd();
    const home = createHome(directory);
    const pid = readPid(directory);
    if (pid === undefined) {
      throw new MillraceError({
        code: 'MR_CLI_NOT_RUNNING',
        message: `No server runs over ${home.directory}: expected its process number in ${pidFileOf(directory)}`,
      });
    }
    process.kill(pid, 'SIGHUP');
    console.log(`Process ${pid} reads ${home.configuration} again; its log says what holds now.`);
  },
});
