import { createTimeLimited, getLogger, type Clock } from '#core';
import { toError } from '#errors';
import { createRestApi, defineOperation, jsonResponse, type RestApi } from '#rest';
import { joinFindings, type HealthChecker, type HealthFindings } from './checker.ts';
import { failureText } from './failure-text.ts';
import { checkerTime } from './time.ts';

const log = getLogger('server');

/** The path of the original. */
export const healthApiPath = '/api/health-check/v1.0';

/**
 * The health check API: what every checker found when all is well, else what is not, in the order of the checkers.
 * Anybody may ask, so requests that come while the checkers run get the answer of that run.
 */
export function createHealthApi(checkers: readonly HealthChecker[], clock: Clock): RestApi {
  const limited = createTimeLimited<HealthFindings>(checkerTime, clock);
  let running: Promise<HealthFindings> | undefined;

  const checkAll = async (): Promise<HealthFindings> => {
    const findings: HealthFindings[] = [];
    for (const checker of checkers) findings.push(await run(checker));
    return joinFindings(findings);
  };

  const run = async (checker: HealthChecker): Promise<HealthFindings> => {
    const { name } = checker;
    const findings = await limited.run(name, () => checker.check()).catch((error: unknown) => failed(name, error));
    for (const { code, message, description, cause } of findings.errors) {
      const facts = { checker: name, code, error: message, description };
      log.warn({ ...facts, ...(cause !== undefined && { err: toError(cause) }) }, 'a health check failed');
    }
    return findings;
  };

  return createRestApi({
    title: 'Health check',
    version: 'v1.0',
    basePath: healthApiPath,
    operations: [
      defineOperation({
        id: 'health',
        method: 'GET',
        path: '/health',
        summary: 'Whether the server and what it depends on are in order',
        responses: {
          200: {
            description: 'In order, with what the checkers measured',
            schema: (z) => z.object({ health: z.array(z.object({ key: z.string(), value: z.string() })) }),
          },
          503: {
            description: 'Not in order, with the reasons',
            schema: (z) =>
              z.object({
                errors: z.array(z.object({ code: z.string(), message: z.string(), description: z.string() })),
              }),
          },
        },
        public: true,
        async handle() {
          running ??= checkAll().finally(() => {
            running = undefined;
          });
          const { properties, errors } = await running;
          if (errors.length > 0) {
            const shown = errors.map(({ code, message, description }) => ({ code, message, description }));
            return jsonResponse({ errors: shown }, 503);
          }
          return jsonResponse({ health: Object.entries(properties).map(([key, value]) => ({ key, value })) });
        },
      }),
    ],
  });
}

function failed(name: string, error: unknown): HealthFindings {
  const message = `The health checker ${name} failed`;
  return {
    properties: {},
    errors: [{ code: 'MR_HEALTH_CHECKER', message, description: failureText(error), cause: error }],
  };
}
