import { MillraceError, messageOf, toError } from '#errors';
import { type Clock, systemClock } from './clock.ts';
import { getLogger } from './log.ts';

/** A started part of the server. It owns every port, connection, timer and file that it opened. */
export interface RunningModule extends AsyncDisposable {
  /** Stops accepting new work; what is in flight goes on. */
  quiesce?(): void | Promise<void>;
  /** Waits until what is in flight has finished, at most so many milliseconds. */
  drain?(milliseconds: number): Promise<void>;
}

/** A part of the server that starts and stops. */
export interface ModuleDefinition<Context> {
  readonly name: string;
  /** The roles that turn it on. */
  readonly roles: readonly string[];
  /** Names of the modules that must run before it. */
  readonly needs: readonly string[];
  start(context: Context): Promise<RunningModule | void> | RunningModule | void;
}

export interface StartOptions {
  /** Called first when stopping begins, so that readiness goes off before anything stops accepting. */
  readonly onStopping?: () => void;
  readonly clock?: Clock;
}

/** The modules that run, in the order in which they started. */
export interface RunningModules extends AsyncDisposable {
  readonly names: readonly string[];
  /**
   * Readiness off, stop accepting, drain for at most so many milliseconds, dispose in reverse order. A module that
   * fails does not keep the others from stopping. Repeated calls share the first stop.
   *
   * @throws MillraceError `MR_MODULE_STOP` after everything was stopped, when a module failed to
   */
  stop(drainMilliseconds: number): Promise<void>;
}

interface Entry {
  readonly name: string;
  readonly running: RunningModule | undefined;
}

const log = getLogger('core.lifecycle');
/** What a module may take beyond the time it was given to drain before it is left alone. */
const drainGrace = 250;

/** Declares a module; the result is frozen. */
export function defineModule<Context>(definition: ModuleDefinition<Context>): ModuleDefinition<Context> {
  return Object.freeze({ ...definition });
}

/**
 * Puts modules in the order of their needs; modules that do not need each other keep the order of the list.
 *
 * @throws MillraceError `MR_MODULE_DUPLICATE`, `MR_MODULE_MISSING` or `MR_MODULE_CYCLE`, naming the modules
 */
export function orderModules<Context>(
  modules: readonly ModuleDefinition<Context>[],
): readonly ModuleDefinition<Context>[] {
  const byName = new Map<string, ModuleDefinition<Context>>();
  for (const module of modules) {
    if (byName.has(module.name)) throw orderError('DUPLICATE', `Two modules are called "${module.name}"`);
    byName.set(module.name, module);
  }
  const ordered = new Set<ModuleDefinition<Context>>();
  const visit = (module: ModuleDefinition<Context>, path: readonly string[]): void => {
    if (ordered.has(module)) return;
    if (path.includes(module.name)) {
      const cycle = [...path.slice(path.indexOf(module.name)), module.name];
      throw orderError('CYCLE', `Modules need each other in a circle: ${cycle.join(' → ')}`);
    }
    for (const need of module.needs) {
      const needed = byName.get(need);
      if (!needed) {
        const known = [...byName.keys()].join(', ');
        throw orderError('MISSING', `Module "${module.name}" needs "${need}", which is not among: ${known}`);
      }
      visit(needed, [...path, module.name]);
    }
    ordered.add(module);
  };
  for (const module of modules) visit(module, []);
  return [...ordered];
}

/**
 * Starts modules one after the other in the order of their needs. When one fails, those that had started are disposed
 * in reverse order and nothing is left running.
 *
 * @throws MillraceError `MR_MODULE_START` with the failure as its cause, or an error of `orderModules`
 */
export async function startModules<Context>(
  modules: readonly ModuleDefinition<Context>[],
  context: Context,
  options: StartOptions = {},
): Promise<RunningModules> {
  const clock = options.clock ?? systemClock;
  const entries: Entry[] = [];
  for (const module of orderModules(modules)) {
    const began = clock.monotonic();
    try {
      entries.push({ name: module.name, running: (await module.start(context)) ?? undefined });
    } catch (error) {
      const failures = await disposeAll(entries, clock);
      throw new MillraceError({
        code: 'MR_MODULE_START',
        message: `Module "${module.name}" did not start: ${messageOf(error)}`,
        ...(failures.length > 0 && { detail: failures.map((failure) => failure.message).join('; ') }),
        cause: error,
      });
    }
    log.debug({ module: module.name, milliseconds: rounded(clock.monotonic() - began) }, 'module started');
  }
  return createRunningModules(entries, options.onStopping, clock);
}

function createRunningModules(
  entries: readonly Entry[],
  onStopping: (() => void) | undefined,
  clock: Clock,
): RunningModules {
  let stopping: Promise<void> | undefined;
  const stop = (drainMilliseconds: number): Promise<void> => {
    stopping ??= stopAll(entries, { onStopping, clock, drainMilliseconds });
    return stopping;
  };
  return {
    names: entries.map((entry) => entry.name),
    stop,
    [Symbol.asyncDispose]: () => stop(0),
  };
}

interface StopPlan {
  readonly onStopping: (() => void) | undefined;
  readonly clock: Clock;
  readonly drainMilliseconds: number;
}

async function stopAll(entries: readonly Entry[], plan: StopPlan): Promise<void> {
  const { clock, drainMilliseconds } = plan;
  const began = clock.monotonic();
  plan.onStopping?.();
  const failures = await inEvery(entries, 'quiesce', async (running) => running.quiesce?.());
  if (drainMilliseconds > 0) {
    const drained = inEvery(entries, 'drain', async (running) => running.drain?.(drainMilliseconds));
    failures.push(...(await withDeadline(drained, drainMilliseconds + drainGrace, clock)));
  }
  failures.push(...(await disposeAll(entries, clock)));
  log.debug({ modules: entries.length, milliseconds: rounded(clock.monotonic() - began) }, 'modules stopped');
  if (failures.length > 0) {
    throw new MillraceError({
      code: 'MR_MODULE_STOP',
      message: failures.map((failure) => failure.message).join('; '),
      cause: failures.length === 1 ? failures[0] : new AggregateError(failures),
    });
  }
}

/** Runs one step in all modules at once and gives the failures, each naming its module. */
async function inEvery(
  entries: readonly Entry[],
  step: string,
  action: (running: RunningModule) => Promise<void>,
): Promise<Error[]> {
  const outcomes = await Promise.allSettled(entries.map(async ({ running }) => running && action(running)));
  return outcomes.flatMap((outcome, index) =>
    outcome.status === 'rejected' ? [stepFailure(entries[index]?.name ?? '', step, outcome.reason)] : [],
  );
}

async function disposeAll(entries: readonly Entry[], clock: Clock): Promise<Error[]> {
  const failures: Error[] = [];
  for (const { name, running } of entries.toReversed()) {
    const began = clock.monotonic();
    try {
      await running?.[Symbol.asyncDispose]();
      log.debug({ module: name, milliseconds: rounded(clock.monotonic() - began) }, 'module stopped');
    } catch (error) {
      failures.push(stepFailure(name, 'stop', error));
    }
  }
  return failures;
}

function stepFailure(name: string, step: string, reason: unknown): Error {
  log.error({ module: name, step, err: toError(reason) }, 'module failed while stopping');
  return new Error(`Module "${name}" failed to ${step}: ${messageOf(reason)}`, { cause: reason });
}

function withDeadline(work: Promise<Error[]>, milliseconds: number, clock: Clock): Promise<Error[]> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(milliseconds, () => {
      log.warn({ milliseconds }, 'draining took longer than allowed');
      resolve([]);
    });
    work.then(resolve, reject).finally(cancel);
  });
}

function orderError(what: string, message: string): MillraceError {
  return new MillraceError({ code: `MR_MODULE_${what}`, message });
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
