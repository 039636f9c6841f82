import type { Logger, LogFields } from '#core';
import type { Position } from '#errors';
import type { Lifecycle } from '../lifecycle.ts';
import type { Extension, ExtensionContext, ExtensionLog } from './types.ts';

/** Where an extension is used. */
export interface ExtensionUse {
  readonly id: string;
  readonly position: Position | undefined;
  readonly log: Logger;
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * Starts and stops an extension with its world.
 *
 * @returns what waits until it has started: nothing once it has, its failure while it could not
 */
export function liveWith(lifecycle: Lifecycle, extension: Extension, use: ExtensionUse): () => void | Promise<void> {
  let starting: Promise<void> | undefined;
  let hasStarted = extension.init === undefined;
  const start = (): Promise<void> => {
    starting ??= begin();
    return starting;
  };
  const begin = async (): Promise<void> => {
    await extension.init?.(contextOf(use));
    hasStarted = true;
  };
  lifecycle.add({
    id: use.id,
    position: use.position,
    start: async () => {
      if (!hasStarted) await start();
    },
    stop: () => extension.destroy?.(),
  });
  return () => (hasStarted ? undefined : start());
}

function contextOf({ id, log, parameters }: ExtensionUse): ExtensionContext {
  return { id, log: extensionLog(log, id), parameters: parameters ?? {} };
}

/** The log of an extension that is used at a place. */
export function extensionLog(log: Logger, at: string): ExtensionLog {
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}) =>
      log[level]({ ...fields, at }, message);
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
