import { getLogger } from '#core';
import { messageOf, type Problem } from '#errors';
import type { Companion, Lifecycle } from '#mediation';

const log = getLogger('deployment');

/**
 * What one compiled artifact runs besides messages. Every world that holds the artifact counts itself in: the first one
 * starts it, and when the last one has left it stops, for good.
 */
export interface Companions extends Lifecycle {
  /** Counts a world in; nothing starts yet. */
  hold(): void;
  /** Starts each once; what could not start is in the result, and the others run. Later calls start nothing. */
  begin(): Promise<readonly Problem[]>;
  /** Counts a world out; the last one stops what was started, last first, and what fails then is logged. */
  release(): Promise<void>;
  /** False when they were stopped, or when one of them could not start: no other world may take them over. */
  readonly canGoOn: boolean;
}

/** Collects the companions of one compiled artifact; one that comes after the start is started at once. */
export function createCompanions(): Companions {
  const waiting: Companion[] = [];
  const started: Companion[] = [];
  let worlds = 0;
  let hasBegun = false;
  let canGoOn = true;

  const start = async (companion: Companion): Promise<readonly Problem[]> => {
    try {
      await companion.start?.();
      started.push(companion);
      return [];
    } catch (error) {
      canGoOn = false;
      return [problemOf(companion, error)];
    }
  };

  const stopStarted = async (): Promise<void> => {
    for (const companion of started.splice(0).reverse()) {
      try {
        await companion.stop?.();
      } catch (error) {
        log.error({ err: error, at: companion.id }, 'a part of the old world did not stop');
      }
    }
  };

  const startLate = async (companion: Companion): Promise<void> => {
    for (const { message } of await start(companion)) log.error({ at: companion.id }, message);
    // The last world may have left while it started.
    if (worlds === 0) await stopStarted();
  };

  return {
    add(companion) {
      if (hasBegun) void startLate(companion);
      else waiting.push(companion);
    },
    hold: () => void worlds++,
    async begin() {
      hasBegun = true;
      const problems: Problem[] = [];
      for (const companion of waiting.splice(0)) problems.push(...(await start(companion)));
      return problems;
    },
    async release() {
      if (--worlds > 0) return;
      canGoOn = false;
      await stopStarted();
    },
    get canGoOn() {
      return canGoOn;
    },
  };
}

function problemOf({ id, position }: Companion, error: unknown): Problem {
  const message = `${id} did not start: ${messageOf(error)}`;
  return { code: 'MR_ARTIFACT_START', severity: 'error', message, ...(position ? { position } : {}) };
}
