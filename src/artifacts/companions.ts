import { getLogger } from '#core';
import { messageOf, type Problem } from '#errors';
import type { Companion, Lifecycle } from '#mediation';

const log = getLogger('deployment');

/** What the artifacts of a world run besides messages, started and stopped together. */
export interface Companions extends Lifecycle {
  readonly running: {
    /** Starts each once; what could not start is in the result, and the others run. */
    start(): Promise<readonly Problem[]>;
    /** Stops what was started, last first; what fails then is logged. */
    stop(): Promise<void>;
  };
}

/** Collects the companions of one world. */
export function createCompanions(): Companions {
  const all: Companion[] = [];
  let started: Companion[] = [];
  return {
    add: (companion) => void all.push(companion),
    running: {
      async start() {
        const problems: Problem[] = [];
        for (const companion of all) {
          try {
            await companion.start?.();
            started.push(companion);
          } catch (error) {
            problems.push(problemOf(companion, error));
          }
        }
        return problems;
      },
      async stop() {
        const toStop = started.reverse();
        started = [];
        for (const companion of toStop) {
          try {
            await companion.stop?.();
          } catch (error) {
            log.error({ err: error, at: companion.id }, 'a part of the old world did not stop');
          }
        }
      },
    },
  };
}

function problemOf({ id, position }: Companion, error: unknown): Problem {
  const message = `${id} did not start: ${messageOf(error)}`;
  return { code: 'MR_ARTIFACT_START', severity: 'error', message, ...(position ? { position } : {}) };
}
