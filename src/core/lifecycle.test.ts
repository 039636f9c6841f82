import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MillraceError } from '#errors';
import { defineModule, type ModuleDefinition, startModules } from './lifecycle.ts';
import { createTestClock } from './test-clock.ts';

function recorder(steps: string[]): (name: string, needs?: readonly string[]) => ModuleDefinition<string> {
  return (name, needs = []) =>
    defineModule<string>({
      name,
      roles: ['default'],
      needs,
      start(context) {
        steps.push(`start ${name} ${context}`);
        return {
          quiesce: () => void steps.push(`quiesce ${name}`),
          drain: async (milliseconds) => void steps.push(`drain ${name} ${milliseconds}`),
          [Symbol.asyncDispose]: async () => void steps.push(`dispose ${name}`),
        };
      },
    });
}

describe('lifecycle', () => {
  it('starts modules after those that they need and stops them in reverse', async () => {
    const steps: string[] = [];
    const module = recorder(steps);
    const running = await startModules(
      [module('gateway', ['identity', 'db']), module('identity', ['db']), module('db')],
      'x',
      {
        onStopping: () => steps.push('not ready'),
      },
    );
    assert.deepEqual(running.names, ['db', 'identity', 'gateway']);
    await running.stop(50);
    assert.deepEqual(steps, [
      'start db x',
      'start identity x',
      'start gateway x',
      'not ready',
      'quiesce db',
      'quiesce identity',
      'quiesce gateway',
      'drain db 50',
      'drain identity 50',
      'drain gateway 50',
      'dispose gateway',
      'dispose identity',
      'dispose db',
    ]);
  });

  it('stops once however often it is asked, and without draining when there is no time', async () => {
    const steps: string[] = [];
    const running = await startModules([recorder(steps)('only')], '');
    await Promise.all([running.stop(0), running.stop(0), running[Symbol.asyncDispose]()]);
    assert.deepEqual(steps.slice(1), ['quiesce only', 'dispose only']);
  });

  it('names the modules of a circle', async () => {
    const module = recorder([]);
    await assert.rejects(startModules([module('a', ['b']), module('b', ['c']), module('c', ['b'])], ''), {
      code: 'MR_MODULE_CYCLE',
      message: 'Modules need each other in a circle: b → c → b',
    });
  });

  it('names a module that is missing and those that are there', async () => {
    const module = recorder([]);
    await assert.rejects(startModules([module('a', ['z']), module('b')], ''), {
      code: 'MR_MODULE_MISSING',
      message: 'Module "a" needs "z", which is not among: a, b',
    });
    await assert.rejects(startModules([module('a'), module('a')], ''), { code: 'MR_MODULE_DUPLICATE' });
  });

  it('disposes what had started when a module fails to start', async () => {
    const steps: string[] = [];
    const module = recorder(steps);
    const broken = defineModule<string>({
      name: 'broken',
      roles: [],
      needs: [],
      start: () => Promise.reject(new Error('port taken')),
    });
    await assert.rejects(startModules([module('a'), module('b'), broken, module('c')], 'x'), (error) => {
      assert.ok(error instanceof MillraceError);
      assert.equal(error.message, 'Module "broken" did not start: port taken');
      return true;
    });
    assert.deepEqual(steps, ['start a x', 'start b x', 'dispose b', 'dispose a']);
  });

  it('stops the others when one fails to stop, and says which', async () => {
    const steps: string[] = [];
    const broken = defineModule<string>({
      name: 'broken',
      roles: [],
      needs: [],
      start: () => ({ [Symbol.asyncDispose]: () => Promise.reject(new Error('stuck')) }),
    });
    const running = await startModules([recorder(steps)('a'), broken], '');
    await assert.rejects(running.stop(0), { code: 'MR_MODULE_STOP', message: 'Module "broken" failed to stop: stuck' });
    assert.ok(steps.includes('dispose a'));
  });

  it('goes on when draining takes longer than allowed', async () => {
    const clock = createTestClock();
    const steps: string[] = [];
    const slow = defineModule<string>({
      name: 'slow',
      roles: [],
      needs: [],
      start: () => ({
        drain: () => new Promise<void>(() => setImmediate(() => clock.advance(60_000))),
        [Symbol.asyncDispose]: async () => void steps.push('disposed'),
      }),
    });
    const running = await startModules([slow], '', { clock });
    await running.stop(1000);
    assert.deepEqual(steps, ['disposed']);
  });
});
