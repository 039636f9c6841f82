import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveContext, LiveWorld } from '../background/live.ts';
import { CONTINUE, STOP } from '../flow.ts';
import type { CompiledTask } from './definition.ts';
import { createInjector } from './injector.ts';

/** Runs a task once and says what its message met, in order. */
async function courseOf(properties: Readonly<Record<string, string>>, flow: typeof CONTINUE): Promise<string[]> {
  const course: string[] = [];
  const step = (name: string, result: typeof CONTINUE) => async () => {
    course.push(name);
    return result;
  };
  const world = {
    environment: {},
    library: { sequence: () => step('sequence', CONTINUE) },
  } as unknown as LiveWorld;
  const context = {
    id: 'task:T',
    services: { handlers: { requestIn: step('handlers', flow) } },
    inWorld: (run: (world: LiveWorld) => Promise<void>) => run(world),
  } as unknown as LiveContext;
  const all = { message: '<tick/>', sequential: 'true', ...properties };
  const task = { name: 'T', properties: new Map(Object.entries(all)) } as unknown as CompiledTask;
  await using injector = createInjector(task, context);
  await injector.run();
  return course;
}

test('request handlers run first where the task asks for them', async () => {
  assert.deepEqual(await courseOf({ invokeHandlers: 'true' }, CONTINUE), ['handlers', 'sequence']);
  assert.deepEqual(await courseOf({ invokeHandlers: 'false' }, CONTINUE), ['sequence']);
  assert.deepEqual(await courseOf({}, CONTINUE), ['sequence']);
});

test('a handler keeps the message from its sequence', async () => {
  assert.deepEqual(await courseOf({ invokeHandlers: 'true' }, STOP), ['handlers']);
});
