import { closeSync, openSync } from 'node:fs';
import process from 'node:process';

/** Milliseconds within which several signals are one wish. */
const oneKeyPress = 1_000;

/**
 * Resolves at the first signal to stop; a later one ends the process at once. A key press reaches this process and
 * those that started it, which pass it on: what comes within a second of the first is still the first.
 */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    const stop = (): void => {
      first ??= performance.now();
      if (performance.now() - first > oneKeyPress) process.exit(130);
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  });
}

/**
 * What SIGHUP does from now on, in the place of what it did before. When the window in which the process was started
 * was closed it is a signal to stop.
 */
export function onHangUp(act: () => void): void {
  process.removeAllListeners('SIGHUP');
  process.on('SIGHUP', () => {
    if (isTerminalGone()) process.kill(process.pid, 'SIGTERM');
    else act();
  });
}

const hadTerminal = process.stdin.isTTY || process.stdout.isTTY;

function isTerminalGone(): boolean {
  if (!hadTerminal) return false;
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return false;
  } catch {
    // A process that has lost its terminal cannot open it any more.
    return true;
  }
}
