import { getLogger, type Clock } from '#core';
import { messageOf } from '#errors';
import { heartbeatVersion, type FullHeartbeat } from './full-heartbeat.ts';
import { runCommand, type Command, type Manage } from './commands.ts';
import type { ControlPlaneTokens } from './token.ts';

const log = getLogger('management.heartbeat');

/** Sends a JSON document with a token; resolves with the status and text of the answer. */
export type ControlPlaneTransport = (
  url: string,
  body: string,
  token: string,
) => Promise<{ readonly status: number; readonly text: string }>;

export interface ReportingParts {
  /** Address of the control plane, such as `https://localhost:9445`. */
  readonly url: string;
  readonly runtimeId: string;
  /** Milliseconds. */
  readonly interval: number;
  readonly tokens: ControlPlaneTokens;
  readonly transport: ControlPlaneTransport;
  readonly clock: Clock;
  readonly describe: () => Promise<FullHeartbeat>;
  /** Calls the management API of this runtime for the control plane. */
  readonly manage: Manage;
}

/** Milliseconds until the first report. */
const firstDelay = 5000;
/** The longest wait between reports to a control plane that does not answer. */
const longestWait = 5 * 60_000;
/** Commands whose ids are remembered, so that none is run twice. */
const commandsKept = 1000;

/** What a control plane answers, as far as it matters; fields of later versions are left alone. */
interface Answer {
  readonly acknowledged?: boolean;
  readonly fullHeartbeatRequired?: boolean;
  readonly nextHeartbeatInSeconds?: number;
  readonly commands?: readonly Command[];
}

/**
 * Reports to a control plane until it is disposed (management 2.3): a hash with every beat, everything when it asks.
 * One that is away is asked again after longer and longer waits; one that says that this runtime does not fit where its
 * key belongs ends the reports.
 */
export function startReporting(parts: ReportingParts): Disposable {
  const { tokens, transport, clock, interval, runtimeId } = parts;
  const base = `${parts.url.replace(/\/+$/, '')}/icp`;
  const seen = new Set<string>();
  let isReached: boolean | undefined;
  let isEnded = false;
  let failures = 0;
  let cancel = (): void => undefined;

  const note = (reached: boolean, reason: string): void => {
    failures = reached ? 0 : failures + 1;
    if (reached === isReached) return;
    isReached = reached;
    if (reached) log.info({ url: base }, 'the control plane takes reports');
    else log.warn({ url: base, reason }, 'the control plane takes no reports');
  };

  const post = async (path: string, body: unknown): Promise<Answer | undefined> => {
    const { status, text } = await transport(`${base}/${path}`, JSON.stringify(body), tokens.current());
    if (status >= 200 && status < 300) return answerOf(text);
    if (status === 401) tokens.renew();
    const reason = `it answered ${status} ${text.slice(0, 200)}`;
    if (status === 409) {
      isEnded = true;
      log.error({ url: base, reason }, 'the control plane does not know this runtime in its place: reports end');
    }
    note(false, reason);
    return undefined;
  };

  const follow = async (commands: readonly Command[]): Promise<void> => {
    for (const command of commands) {
      if (typeof command?.commandId !== 'string' || seen.has(command.commandId)) continue;
      seen.add(command.commandId);
      if (seen.size > commandsKept) seen.delete(seen.values().next().value ?? '');
      const result = await runCommand(command, parts.manage, clock);
      await post('commandResult', { runtimeId, commandId: command.commandId, ...result });
    }
  };

  const report = async (): Promise<Answer | undefined> => {
    const { hash, fields } = await parts.describe();
    const delta = { heartbeatVersion, runtimeId, runtimeHash: hash, timestamp: timeOf(clock) };
    const short = await post('deltaHeartbeat', delta);
    if (!short) return undefined;
    const isWanted = short.fullHeartbeatRequired === true || short.acknowledged === false;
    const full = isWanted ? await post('heartbeat', { ...fields, timestamp: timeOf(clock) }) : short;
    if (!full) return undefined;
    if (full.acknowledged === false) note(false, 'it did not acknowledge the full report');
    else note(true, '');
    const commands = [...(short.commands ?? []), ...(full === short ? [] : (full.commands ?? []))];
    await follow(commands);
    return full;
  };

  const beat = async (): Promise<void> => {
    const began = clock.monotonic();
    let answer: Answer | undefined;
    try {
      answer = await report();
    } catch (error) {
      note(false, messageOf(error));
    }
    if (isEnded) return;
    const wanted = answer?.nextHeartbeatInSeconds;
    const pause =
      failures > 0
        ? Math.min(longestWait, interval * 2 ** Math.min(failures - 1, 20))
        : typeof wanted === 'number' && wanted > 0
          ? Math.min(interval, Math.max(1000, wanted * 1000))
          : interval;
    // A fixed rate: the time that an answer took counts.
    cancel = clock.after(Math.max(0, pause - (clock.monotonic() - began)), () => void beat());
  };

  cancel = clock.after(Math.min(firstDelay, interval), () => void beat());
  return {
    [Symbol.dispose]() {
      isEnded = true;
      cancel();
    },
  };
}

/** Seconds, and the fraction of one. */
function timeOf(clock: Clock): readonly [seconds: number, fraction: number] {
  const now = clock.now();
  return [Math.floor(now / 1000), (now % 1000) / 1000];
}

function answerOf(text: string): Answer {
  if (text.trim() === '') return {};
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? value : {};
}
