import process from 'node:process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { configureLog, getLogger, type LogLevel } from '#core';
import { toError } from '#errors';
import type { ProcessControl } from '#management';
import type { RunningServer, ServerOptions } from '#server';
import {
  countWorkers,
  notifyServiceManager,
  optionsForWorkers,
  reloadForSignal,
  supervise,
  workerCommand,
  type ServiceState,
  type Supervised,
} from '#server/launch';
import { writePid } from './pid-file.ts';
import { onHangUp, stopSignal } from './signals.ts';

const log = getLogger('server');

/** Milliseconds beyond the time for what is in flight after which the process ends whatever still runs. */
const forcedExit = 30_000;

/** A server of one process or several. */
export type ServedServer = Pick<
  RunningServer,
  'addresses' | 'initialPassword' | 'initialPasswordFile' | 'drainTime' | 'stop'
>;

/** Sets the log up for this process: for a person on a terminal, as JSON otherwise. Lines of a worker have its pid. */
export function setUpLog(level: string | undefined, isWorker = false): void {
  const levels: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];
  const wanted = levels.find((name) => name === (level ?? process.env['MILLRACE_LOG_LEVEL']));
  const format = process.stdout.isTTY ? 'pretty' : 'json';
  configureLog({ level: wanted ?? 'info', format, ...(isWorker && { fields: { pid: process.pid } }) });
}

/**
 * Starts a server and keeps it until a signal asks it to stop; a second signal ends it at once.
 *
 * @param afterStart runs when the server is ready, for what the command wants to print
 */
export async function serve(options: ServerOptions, afterStart?: (server: ServedServer) => void): Promise<void> {
  // Before the start, so that a signal during it ends in an orderly stop too.
  const asked = stopSignal().then((): End => ({ graceful: true, restart: false }));
  for (let isFirst = true; ; isFirst = false) {
    const wish = Promise.withResolvers<End>();
    const server = await startProcesses(options, { end: wish.resolve });
    if (isFirst) {
      showInitialPassword(server);
      afterStart?.(server);
    }
    using _pid = writePid(options.home);
    const told = tellServiceManager('READY=1');
    const { restart, graceful } = await Promise.race([asked, wish.promise]);
    if (restart) log.info({ graceful }, 'restarting');
    else endSurely(server.drainTime);
    try {
      await told;
      if (!restart) await tellServiceManager('STOPPING=1');
      await server.stop(graceful ? undefined : 0);
    } catch (error) {
      log.error({ err: toError(error) }, 'stopping did not go as it should');
      process.exitCode = 1;
      return;
    }
    if (!restart) return;
  }
}

type End = Parameters<ProcessControl['end']>[0];

/** A stop that takes too long ends the process whatever still runs. */
function endSurely(drainTime: number): void {
  log.info({}, 'stopping; a second signal ends at once');
  setTimeout(() => process.exit(1), drainTime + forcedExit).unref();
}

/** Starts this process as the server, or as the supervisor of its workers. */
async function startProcesses(options: ServerOptions, control: ProcessControl): Promise<ServedServer> {
  const count = countWorkers(options);
  if (count === 1) {
    // A supervisor does without it, and without its memory.
    const { startServer } = await import('#server');
    const server = await startServer({ ...options, control });
    onHangUp(() => void reloadForSignal(server));
    return server;
  }
  const supervised = await supervise(optionsForWorkers(options), { count, command: workerCommand(log.level) });
  onHangUp(() => replaceWorkers(supervised));
  return supervised;
}

function replaceWorkers(supervised: Supervised): void {
  log.info({}, 'the workers are replaced');
  supervised
    .replaceAll()
    .catch((error: unknown) => log.error({ err: toError(error) }, 'the workers could not be replaced'));
}

/** A service manager that cannot be told ends the process after its own time; until then it serves. */
async function tellServiceManager(state: ServiceState): Promise<void> {
  try {
    await notifyServiceManager(state, process.env);
  } catch (error) {
    log.error({ err: toError(error) }, 'the service manager was not told');
  }
}

/** A made-up password is shown once on a terminal; otherwise it goes to a file that only the owner can read. */
function showInitialPassword({ initialPassword, initialPasswordFile }: ServedServer): void {
  if (!initialPassword) return;
  const { username, password } = initialPassword;
  if (process.stdout.isTTY) {
    console.log(`\nFirst sign-in: ${username} / ${password}   (shown only this once)\n`);
    return;
  }
  mkdirSync(dirname(initialPasswordFile), { recursive: true });
  writeFileSync(initialPasswordFile, `${username}:${password}\n`, { mode: 0o600 });
  chmodSync(initialPasswordFile, 0o600);
  log.info({ file: initialPasswordFile }, 'the first password of the administrator is in a file');
}
