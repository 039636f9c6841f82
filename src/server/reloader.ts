import type { Config } from '#config';
import { getLogger } from '#core';
import { ProblemsError, toError } from '#errors';

const log = getLogger('server');

/** What reading the configuration again came to. */
export interface ReloadReport {
  /** Keys whose new values hold now. */
  readonly applied: readonly string[];
  /** Keys that differ and hold after the next start. */
  readonly needRestart: readonly string[];
}

/** Reads the configuration again while the server runs. */
export interface Reloader {
  /**
   * Calls `apply` with the configuration that holds from now on: the old one but for keys that can be reloaded. Disposing
   * the result ends that.
   */
  onReload(apply: (config: Config) => void | Promise<void>): Disposable;
  /**
   * Applies what can be applied and names what needs a restart. A file that cannot be used changes nothing.
   *
   * @throws ProblemsError for such a file
   */
  reload(): Promise<ReloadReport>;
}

/** @param read reads the file as the start did */
export function createReloader(started: Config, read: () => Promise<Config>): Reloader {
  const listeners = new Set<(config: Config) => void | Promise<void>>();
  let current = started;
  let turn: Promise<unknown> = Promise.resolve();

  const attempt = async (): Promise<ReloadReport> => {
    const next = current.reloadedFrom(await read());
    const applied = current.changesTo(next.applied).map(({ path }) => path);
    current = next.applied;
    for (const apply of applied.length > 0 ? listeners : []) {
      try {
        await apply(current);
      } catch (error) {
        log.error({ err: toError(error) }, 'a part of the server could not take the new configuration');
      }
    }
    return { applied, needRestart: next.needRestart };
  };

  return {
    onReload(apply) {
      listeners.add(apply);
      return { [Symbol.dispose]: () => void listeners.delete(apply) };
    },
    reload() {
      const result = turn.then(attempt);
      turn = result.catch(() => undefined);
      return result;
    },
  };
}

/** Reloads for a signal: what came of it goes into the log. */
export async function reloadForSignal(server: { reload(): Promise<ReloadReport> }): Promise<void> {
  try {
    const { applied, needRestart } = await server.reload();
    if (needRestart.length > 0) log.warn({ keys: needRestart }, 'these changes need a restart');
    log.info({ keys: applied }, applied.length === 0 ? 'nothing to apply' : 'the configuration was read again');
  } catch (error) {
    const text = error instanceof ProblemsError ? error.message : undefined;
    log.error(text === undefined ? { err: toError(error) } : { problems: text }, 'the configuration stays as it was');
  }
}
