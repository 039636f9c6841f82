import process from 'node:process';
import { defineCommand } from 'citty';
import { MillraceError } from '#errors';
import { roles } from '#server/launch';
import { hiddenPrompt } from '../hidden-prompt.ts';
import { offsetOf, systemPropertiesOf } from '../options.ts';
import { serve, setUpLog } from '../serve.ts';

/** `millrace start`: the server over a home. */
export const startCommand = defineCommand({
  meta: {
    name: 'start',
    description:
      'Start the server over a home directory.\n\nExample: millrace start --home /var/lib/millrace --offset 1',
  },
  args: {
    home: { type: 'string', description: 'Home directory (MILLRACE_HOME, else the current directory)' },
    role: { type: 'string', description: `One of ${roles.join(', ')}` },
    define: {
      type: 'string',
      alias: 'D',
      description: 'Property of the process as name=value, any number of times; also -Dname=value',
    },
    offset: { type: 'string', description: 'Number that is added to every port' },
    'log-level': { type: 'string', description: 'trace, debug, info, warn, error or silent' },
  },
  async run({ args, rawArgs }) {
    setUpLog(args['log-level']);
    const role = roles.find((name) => name === args.role);
    if (args.role !== undefined && !role) {
      throw new MillraceError({
        code: 'MR_CLI_ROLE',
        message: `--role must be one of ${roles.join(', ')}; found "${args.role}"`,
      });
    }
    await serve({
      home: args.home ?? process.env['MILLRACE_HOME'] ?? process.cwd(),
      offset: offsetOf(args.offset),
      logFiles: true,
      ...(role ? { role } : {}),
      environment: process.env,
      systemProperties: systemPropertiesOf(rawArgs),
      ...(hiddenPrompt ? { prompt: hiddenPrompt } : {}),
    });
  },
});
