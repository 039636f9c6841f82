import { defineOperation, pick, type Operation } from '#rest';
import {
  anyObject,
  listOf,
  optionalText,
  queryText,
  refusal,
  requiredText,
  searched,
  smallMessage,
} from '../conventions.ts';
import type { LogLevels } from '../log-levels.ts';
import type { ManagedNode } from '../node.ts';

/** `/logging` (management 1.7): the levels of loggers. Each area of the server has one of its name. */
export function loggingOperations(levels: LogLevels, node: ManagedNode): readonly Operation[] {
  const spread = (): Promise<void> => node.spread({ name: 'levels', subject: '', state: undefined });
  return [
    defineOperation({
      id: 'getLogging',
      method: 'GET',
      path: '/logging',
      summary: 'Loggers and their levels, or the one that loggerName names',
      responses: { 200: { description: 'The list under count and list, or one logger' } },
      scope: 'read',
      handle({ query }) {
        const name = queryText(query, 'loggerName');
        if (name === undefined) {
          return listOf(searched(levels.list(), query).map(itemOf));
        }
        const found = levels.list().find((logger) => logger.name === name);
        if (!found) throw refusal(400, `There is no logger "${name}"`);
        return itemOf(found);
      },
    }),
    defineOperation({
      id: 'changeLogging',
      method: 'PATCH',
      path: '/logging',
      summary: 'Changes the level of a logger for good, or adds a logger with loggerClass',
      body: anyObject,
      responses: { 200: { description: 'What was changed' } },
      scope: 'write',
      audited: ({ body }) => ({
        action: body?.['loggerClass'] === undefined ? 'updated' : 'created',
        type: typeOf(body?.['loggerName']),
        info: pick(body, 'loggerName', 'loggerClass', 'loggingLevel'),
      }),
      async handle({ body }) {
        const name = requiredText(body, 'loggerName');
        const level = requiredText(body, 'loggingLevel').toUpperCase();
        const area = optionalText(body, 'loggerClass');
        if (area === undefined) levels.change(name, level);
        else levels.add(name, area, level);
        await spread();
        return smallMessage(
          area === undefined
            ? `The logger ${name} is at ${level}`
            : `The logger ${name} for ${area} is added at ${level}`,
        );
      },
    }),
    defineOperation({
      id: 'deleteLogging',
      method: 'DELETE',
      path: '/logging',
      summary: 'Forgets a logger that was added, or the level of one that was changed',
      responses: { 200: { description: 'What was forgotten' } },
      scope: 'write',
      audited: ({ query }) => ({
        action: 'deleted',
        type: typeOf(query['loggerName']),
        info: pick(query, 'loggerName'),
      }),
      async handle({ query }) {
        const name = queryText(query, 'loggerName');
        if (name === undefined) throw refusal(400, 'The parameter "loggerName" is missing');
        levels.forget(name);
        await spread();
        return smallMessage(`The logger ${name} has no level of its own any more`);
      },
    }),
  ];
}

/** The root logger is a type of its own (management 1.2). */
function typeOf(name: unknown): string {
  return name === 'rootLogger' ? 'root_log_level' : 'log_level';
}

function itemOf({ name, area, level }: ReturnType<LogLevels['list']>[number]): Record<string, string> {
  return { loggerName: name, componentName: area, level };
}
