import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { MillraceError } from '#errors';

const run = promisify(execFile);

/** What a service manager wants to hear of: `READY=1` ends the start, `STOPPING=1` begins the stop. */
export type ServiceState = 'READY=1' | 'STOPPING=1';

/** Milliseconds after which the program that sends a notice is given up. */
const sendTimeout = 5000;

/**
 * Tells the service manager that started this process how it stands (sd_notify(3), unit `Type=notify`). The notice is
 * a Unix datagram, which Node cannot send, so the program `systemd-notify` of every systemd sends it; the unit needs
 * `NotifyAccess=all` for that.
 *
 * @param environment holds `NOTIFY_SOCKET` when somebody wants to know
 * @returns false when nobody wants to know
 * @throws MillraceError `MR_NOTIFY_FAILED` when the notice cannot be sent
 */
export async function notifyServiceManager(
  state: ServiceState,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const socket = environment['NOTIFY_SOCKET'];
  if (socket === undefined || socket === '') return false;
  try {
    await run('systemd-notify', [state], {
      timeout: sendTimeout,
      env: { PATH: environment['PATH'] ?? '/usr/bin:/bin', NOTIFY_SOCKET: socket },
    });
    return true;
  } catch (error) {
    throw new MillraceError({
      code: 'MR_NOTIFY_FAILED',
      message: `The service manager could not be told ${state} by the program systemd-notify`,
      cause: error,
    });
  }
}
