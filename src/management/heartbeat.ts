import { getLogger, type Clock } from '#core';
import { messageOf } from '#errors';

const log = getLogger('management.heartbeat');

/** Where this node announces itself, and as what (management 2.1). */
export interface HeartbeatSettings {
  /** Base address of the dashboard's API, such as `https://localhost:9743/dashboard/api/`. */
  readonly dashboardUrl: string;
  readonly groupId: string;
  readonly nodeId: string;
  /** Milliseconds. */
  readonly interval: number;
  /** Address of the management API as the dashboard reaches it, with a slash at its end. */
  readonly managementUrl: string;
}

/** Sends a JSON document; resolves with the status and text of the answer. */
export type HeartbeatTransport = (
  url: string,
  body: string,
) => Promise<{ readonly status: number; readonly text: string }>;

/** Milliseconds until the first heartbeat. */
const firstDelay = 1000;

/**
 * Sends heartbeats until it is disposed. A dashboard that is away is told again at the next turn; the log says when it
 * goes away and when it is back, not each time.
 */
export function startHeartbeat(settings: HeartbeatSettings, transport: HeartbeatTransport, clock: Clock): Disposable {
  const url = `${settings.dashboardUrl.replace(/\/+$/, '')}/heartbeat`;
  const body = JSON.stringify({
    product: 'mi',
    groupId: settings.groupId,
    nodeId: settings.nodeId,
    interval: Math.round(settings.interval / 1000),
    mgtApiUrl: settings.managementUrl,
    // Dashboards of the first versions read it; nothing is sent that later ones do not fetch themselves.
    changeNotification: { deployedArtifacts: [], undeployedArtifacts: [], stateChangedArtifacts: [] },
  });
  let isReached: boolean | undefined;
  let isEnded = false;
  let cancel = (): void => undefined;

  const note = (reached: boolean, reason: string): void => {
    if (reached === isReached) return;
    isReached = reached;
    if (reached) log.info({ url }, 'the dashboard takes heartbeats');
    else log.warn({ url, reason }, 'the dashboard takes no heartbeats');
  };

  const beat = async (): Promise<void> => {
    const began = clock.monotonic();
    try {
      const { status, text } = await transport(url, body);
      const hasTaken = status === 200 && /"status"\s*:\s*"success"/.test(text);
      note(hasTaken, `it answered ${status} ${text.slice(0, 200)}`);
    } catch (error) {
      note(false, messageOf(error));
    }
    if (isEnded) return;
    // A fixed rate: the time that an answer took counts.
    const wait = Math.max(0, settings.interval - (clock.monotonic() - began));
    cancel = clock.after(wait, () => void beat());
  };

  cancel = clock.after(Math.min(firstDelay, settings.interval), () => void beat());
  return {
    [Symbol.dispose]() {
      isEnded = true;
      cancel();
    },
  };
}
