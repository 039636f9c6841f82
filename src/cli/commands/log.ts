import { defineCommand } from 'citty';
import { changeManagement, readManagement } from '../management-client.ts';
import { fieldsOf, serverOptions, tableOf } from '../output.ts';

interface LoggerFields extends Readonly<Record<string, unknown>> {
  readonly loggerName: string;
  readonly level: string;
  readonly componentName: string;
}

/** `millrace log [LOGGER [LEVEL]]`: levels of loggers. */
export const logCommand = defineCommand({
  meta: {
    name: 'log',
    description:
      'Shows the levels of loggers, or changes one for good.\n\nExample: millrace log mediation DEBUG, millrace log rootLogger INFO\n',
  },
  args: {
    logger: { type: 'positional', required: false, description: 'Name of a logger' },
    level: { type: 'positional', required: false, description: 'OFF, TRACE, DEBUG, INFO, WARN, ERROR or FATAL' },
    ...serverOptions,
  },
  async run({ args: { logger, level, server, output } }) {
    if (logger !== undefined && level !== undefined) {
      const body = { loggerName: logger, loggingLevel: level };
      console.log(await changeManagement(server, { method: 'PATCH', path: '/logging', body }));
      return;
    }
    const query = logger === undefined ? '' : `?loggerName=${encodeURIComponent(logger)}`;
    const answer = (await readManagement(server, `/logging${query}`)) as LoggerFields | { list: LoggerFields[] };
    if (output === 'json') console.log(JSON.stringify(answer, null, 2));
    else if ('list' in answer)
      console.log(
        tableOf(
          ['logger', 'level'],
          (answer.list as LoggerFields[]).map((each) => [each.loggerName, each.level]),
        ),
      );
    else console.log(fieldsOf(answer));
  },
});
