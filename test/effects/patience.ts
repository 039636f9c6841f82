import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds for what must come, however busy the machine is. */
const patience = 30_000;

/**
 * Waits until something is so.
 *
 * @param isExpected true for a value of a key with which it must come; what must not come is given `moment` milliseconds
 * @returns whether it came
 */
export async function comesTrue(
  isSo: () => boolean | Promise<boolean>,
  isExpected = true,
  moment = 600,
): Promise<boolean> {
  const end = performance.now() + (isExpected ? patience : moment);
  while (!(await isSo())) {
    if (performance.now() > end) return false;
    await pause(20);
  }
  return true;
}
