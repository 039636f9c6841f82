import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { configureLog, createTestClock, type Clock } from '#core';
import { MillraceError } from '#errors';
import type { HealthChecker, HealthFindings } from './checker.ts';
import { createHealthApi } from './health-api.ts';

const log: string[] = [];

const fine = (name: string): HealthChecker => ({
  name,
  order: 1,
  check: async () => ({ properties: { [`${name}.state`]: 'fine' }, errors: [] }),
});

const checking = (name: string, check: () => Promise<HealthFindings>): HealthChecker => ({ name, order: 1, check });

async function ask(checkers: readonly HealthChecker[], clock: Clock = createTestClock()): Promise<[number, unknown]> {
  const { fetch } = createHealthApi(checkers, clock);
  const response = await fetch(new Request('https://localhost/api/health-check/v1.0/health'));
  return [response.status, await response.json()];
}

describe('the health check API', () => {
  beforeEach(() => {
    log.length = 0;
    configureLog({ level: 'warn', format: 'json', destination: { write: (line) => void log.push(line) } });
  });
  afterEach(() => configureLog({ level: 'silent', format: 'json' }));

  it('gives what every checker found when all is well', async () => {
    assert.deepEqual(await ask([fine('one'), fine('two')]), [
      200,
      {
        health: [
          { key: 'one.state', value: 'fine' },
          { key: 'two.state', value: 'fine' },
        ],
      },
    ]);
  });

  it('gives all errors, in the order of the checkers, when something is not', async () => {
    const error = (code: string) => ({ code, message: `${code} happened`, description: 'so it is' });
    const failing = (code: string): HealthChecker =>
      checking(code, async () => ({ properties: { seen: code }, errors: [error(code)] }));
    assert.deepEqual(await ask([failing('HC_2'), fine('one'), failing('HC_1')]), [
      503,
      { errors: [error('HC_2'), error('HC_1')] },
    ]);
    assert.equal(log.length, 2);
  });

  it('names a checker that throws, and keeps what it threw for the log', async () => {
    const throwing = checking('Mine', async () => {
      throw new Error('password "s3cret" was refused');
    });
    const [status, body] = await ask([throwing, fine('one')]);
    assert.equal(status, 503);
    assert.deepEqual(body, {
      errors: [
        {
          code: 'MR_HEALTH_CHECKER',
          message: 'The health checker Mine failed',
          description: 'The check failed; the log says why',
        },
      ],
    });
    assert.match(log.join(''), /s3cret/);
  });

  it('shows the text that an error has for clients, and not its detail', async () => {
    const refused = { code: 'MR_X', message: 'The store does not answer', detail: 'ldap://admin:s3cret@host' };
    const [, body] = await ask([
      checking('Mine', async () => {
        throw new MillraceError(refused);
      }),
    ]);
    assert.match(JSON.stringify(body), /"description":"The store does not answer"/);
    assert.doesNotMatch(JSON.stringify(body), /s3cret/);
  });

  it('counts a checker that hangs as failed, and asks the others', async () => {
    const clock = createTestClock();
    const hanging = checking('Hung', () => new Promise(() => setImmediate(() => clock.advance(5000))));
    const last = checking('last', async () => ({
      properties: {},
      errors: [{ code: 'L', message: 'l', description: '' }],
    }));
    const [status, body] = await ask([hanging, last], clock);
    assert.equal(status, 503);
    assert.deepEqual(
      (body as { errors: { message: string; description: string }[] }).errors.map((each) => [
        each.message,
        each.description,
      ]),
      [
        ['The health checker Hung failed', 'no answer within 5000 ms'],
        ['l', ''],
      ],
    );
  });

  it('answers requests that come together with one run', async () => {
    let runs = 0;
    const counting = checking('counting', async () => {
      runs++;
      await new Promise((resolve) => setImmediate(resolve));
      return { properties: {}, errors: [] };
    });
    const { fetch } = createHealthApi([counting], createTestClock());
    const request = (): Promise<Response> =>
      Promise.resolve(fetch(new Request('https://localhost/api/health-check/v1.0/health')));
    await Promise.all([request(), request(), request()]);
    assert.equal(runs, 1);
    await request();
    assert.equal(runs, 2);
  });
});
