import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds that a busy machine may need for anything that takes a moment elsewhere. */
const patience = 60_000;

/** Waits until something holds; fails with `what` when it never does. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + patience;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it never happened that ${what}`);
    await pause(10);
  }
}
