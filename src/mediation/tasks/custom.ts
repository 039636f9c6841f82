import { getLogger, loadExtension, type Logger } from '#core';
import { MillraceError, messageOf } from '#errors';
import { Message, Payload } from '#message';
import { cloneNode, XmlElement } from '#xml';
import { BackgroundExchange } from '../background/exchange.ts';
import type { LiveContext } from '../background/live.ts';
import { runInBackground } from '../background/run.ts';
import type { ExtensionPlace } from '../extension/resolve.ts';
import type { CompiledTask } from './definition.ts';
import { fillMessage } from './fill-message.ts';
import type { TaskRun } from './task.ts';

const log = getLogger('mediation.task');

/** What the server offers to a task. */
export interface TaskEnvironment {
  readonly name: string;
  readonly log: Logger;
  /** Runs a sequence with a message of its own that has the XML or JSON text as its payload. */
  inject(sequence: string, content: string): Promise<void>;
}

/** What the class of a module must look like; each property of the task is set by `setName(value)` or as a field. */
interface CustomTask {
  init?(environment: TaskEnvironment): unknown;
  execute(): unknown;
  destroy?(): unknown;
}

/** Loads the class of a task. @throws MillraceError `MR_TASK_CLASS` when there is none with a method `execute` */
export async function loadTaskClass(
  { className, module = '' }: CompiledTask,
  place: ExtensionPlace | undefined,
): Promise<new () => CustomTask> {
  let exported: unknown;
  try {
    exported = await loadExtension(module, place?.directory ?? '.');
  } catch (error) {
    throw unusable(`${module} cannot be loaded: ${messageOf(error)}`, error);
  }
  if (typeof exported === 'function' && typeof (exported.prototype as Partial<CustomTask>).execute === 'function') {
    return exported as new () => CustomTask;
  }
  throw unusable(`${module} exports no class with a method "execute" for ${className}`);
}

function unusable(reason: string, cause?: unknown): MillraceError {
  return new MillraceError({
    code: 'MR_TASK_CLASS',
    message: `The class of the task cannot be used: ${reason}`,
    cause,
  });
}

/** A task of one's own: made, filled with its properties and initialized once, then executed each time it is due. */
export function createCustomTask(task: CompiledTask, context: LiveContext): TaskRun {
  let made: Promise<CustomTask> | undefined;
  const make = async (): Promise<CustomTask> => {
    const TaskClass = await loadTaskClass(task, context.services.extensions);
    const instance = new TaskClass();
    for (const [name, value] of task.properties) setField(instance, name, value);
    await instance.init?.(environmentOf(task, context));
    return instance;
  };
  return {
    async run() {
      made ??= make();
      try {
        await (await made).execute();
      } catch (error) {
        log.error({ task: task.name, err: error }, `the task failed: ${messageOf(error)}`);
      }
    },
    async [Symbol.asyncDispose]() {
      try {
        await (await made)?.destroy?.();
      } catch (error) {
        log.error({ task: task.name, err: error }, 'the task could not be ended');
      }
    },
  };
}

function setField(instance: CustomTask, name: string, value: string | XmlElement): void {
  const fields = instance as unknown as Record<string, unknown>;
  const given = value instanceof XmlElement ? cloneNode(value) : value;
  const setter = fields[`set${name.slice(0, 1).toUpperCase()}${name.slice(1)}`];
  if (typeof setter === 'function') setter.call(instance, given);
  else fields[name] = given;
}

function environmentOf({ name }: CompiledTask, context: LiveContext): TaskEnvironment {
  return {
    name,
    log: getLogger(`task.${name}`),
    inject: (sequence, content) =>
      context.inWorld(async (world) => {
        const run = world.library.sequence(sequence);
        if (!run) throw new MillraceError({ code: 'MR_TASK_TARGET', message: `There is no sequence "${sequence}"` });
        const message = new Message(new BackgroundExchange(world.environment), new Payload(), []);
        fillMessage(message, content);
        message.properties.set('task.name', name);
        await runInBackground(world, message, { id: context.id, run });
      }),
  };
}
