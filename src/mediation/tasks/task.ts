import { getLogger } from '#core';
import { keepLease } from '../background/lease-keeper.ts';
import type { LiveContext } from '../background/live.ts';
import { createPauses } from '../background/pause.ts';
import { isPinnedHere } from '../background/pinning.ts';
import { createSchedule } from '../background/schedule.ts';
import type { CompileContext } from '../context.ts';
import { createCustomTask, loadTaskClass } from './custom.ts';
import { compileTask, type CompiledTask, type TaskDefinition } from './definition.ts';
import { createInjector } from './injector.ts';

const log = getLogger('mediation.task');

/** What a task does each time it is due; disposing waits for what is under way. */
export interface TaskRun extends AsyncDisposable {
  /** Resolves when the next run may begin. What fails is logged. */
  run(): Promise<void>;
}

/** A task that is deployed, as people may steer it. */
export interface RunningTask extends AsyncDisposable {
  /** Runs it once, now, besides its schedule. What fails is logged. */
  trigger(): Promise<void>;
}

/** Compiles a task for a world; a class that cannot be loaded keeps the world from being deployed. */
export function compileTaskOf(definition: TaskDefinition, context: CompileContext): CompiledTask {
  const task = compileTask(definition, context);
  if (task.module !== undefined) {
    const { extensions } = context.services;
    context.library.lifecycle.add({
      id: context.id,
      position: definition.position,
      start: async () => void (await loadTaskClass(task, extensions)),
    });
  }
  return task;
}

/** Runs a task on one node of the cluster at a time, each time it is due (mediators 11). */
export function startTask(task: CompiledTask, context: LiveContext): RunningTask {
  const { background } = context.services;
  const { pinnedServers, name } = task;
  const runner = (): TaskRun =>
    task.module === undefined ? createInjector(task, context) : createCustomTask(task, context);
  const trigger = async (): Promise<void> => {
    await using once = runner();
    await once.run();
  };
  if (!isPinnedHere(pinnedServers, background)) {
    log.info({ task: name, pinnedServers }, 'the task belongs to other servers');
    return { trigger, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const schedule = createSchedule(task.timing, context.services.clock);
  const keeper = keepLease(context, () => {
    const pauses = createPauses(context.services.clock);
    const scheduled = runner();
    const loop = async (): Promise<void> => {
      for (let wait = schedule.untilNext(); wait !== undefined; wait = schedule.untilNext()) {
        if (!(await pauses.wait(wait))) return;
        log.debug({ task: name }, 'the task runs');
        await scheduled.run();
      }
      log.debug({ task: name }, 'the task has run for the last time');
    };
    const running = loop();
    return {
      async [Symbol.asyncDispose]() {
        pauses.stop();
        await running;
        await scheduled[Symbol.asyncDispose]();
      },
    };
  });
  return { trigger, [Symbol.asyncDispose]: () => keeper[Symbol.asyncDispose]() };
}
