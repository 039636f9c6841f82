import { MillraceError, messageOf } from '#errors';
import { type Clock, systemClock } from './clock.ts';
import { withinTime } from './time-limit.ts';

/** `liveness`: restart the process when it fails. `readiness`: send no requests while it fails. */
export type CheckKind = 'liveness' | 'readiness';

export interface CheckOutcome {
  readonly healthy: boolean;
  /** Facts for the operator, without secrets. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface HealthCheck {
  readonly name: string;
  readonly kind: CheckKind;
  /** Lower runs first; 100 when absent. */
  readonly order?: number;
  /** A check that throws counts as unhealthy, with the error's text as its detail. */
  check(): CheckOutcome | Promise<CheckOutcome>;
}

/** `starting` and `stopping` are never ready, whatever the checks say. */
export type Phase = 'starting' | 'ready' | 'stopping';

export interface CheckReport {
  readonly name: string;
  readonly healthy: boolean;
  readonly milliseconds: number;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly error?: string;
}

export interface HealthReport {
  readonly healthy: boolean;
  readonly phase: Phase;
  readonly checks: readonly CheckReport[];
}

/** The named checks of a server and what they say now. */
export interface Health {
  readonly phase: Phase;
  setPhase(phase: Phase): void;
  /**
   * Adds a check; disposing the result removes it.
   *
   * @throws MillraceError `MR_HEALTH_DUPLICATE` when a check of that kind and name exists
   */
  register(check: HealthCheck): Disposable;
  /** Whether the process can go on; the phase does not matter. */
  liveness(): Promise<HealthReport>;
  /** Whether requests may be sent here; runs no check unless the phase is `ready`. */
  readiness(): Promise<HealthReport>;
}

export interface HealthOptions {
  /** Milliseconds after which a check counts as failed; 5000 when absent. */
  readonly timeout?: number;
  readonly clock?: Clock;
}

/** Makes an empty registry in the phase `starting`. */
export function createHealth(options: HealthOptions = {}): Health {
  const { timeout = 5000, clock = systemClock } = options;
  const checks: HealthCheck[] = [];
  let phase: Phase = 'starting';

  const run = async (kind: CheckKind): Promise<CheckReport[]> => {
    const wanted = checks.filter((check) => check.kind === kind);
    const reports: CheckReport[] = [];
    for (const check of wanted) reports.push(await runCheck(check, timeout, clock));
    return reports;
  };

  return {
    get phase() {
      return phase;
    },
    setPhase(next) {
      phase = next;
    },
    register(check) {
      if (checks.some((other) => other.kind === check.kind && other.name === check.name)) {
        throw new MillraceError({
          code: 'MR_HEALTH_DUPLICATE',
          message: `There is a ${check.kind} check called "${check.name}" already`,
        });
      }
      checks.push(check);
      checks.sort((left, right) => orderOf(left) - orderOf(right));
      return {
        [Symbol.dispose]() {
          const index = checks.indexOf(check);
          if (index >= 0) checks.splice(index, 1);
        },
      };
    },
    async liveness() {
      const reports = await run('liveness');
      return { healthy: reports.every((report) => report.healthy), phase, checks: reports };
    },
    async readiness() {
      if (phase !== 'ready') return { healthy: false, phase, checks: [] };
      const reports = await run('readiness');
      return { healthy: phase === 'ready' && reports.every((report) => report.healthy), phase, checks: reports };
    },
  };
}

async function runCheck(check: HealthCheck, timeout: number, clock: Clock): Promise<CheckReport> {
  const began = clock.monotonic();
  const took = (): number => Math.round(clock.monotonic() - began);
  try {
    const { healthy, detail } = await withinTime(async () => check.check(), timeout, clock);
    return { name: check.name, healthy, milliseconds: took(), ...(detail && { detail }) };
  } catch (error) {
    return { name: check.name, healthy: false, milliseconds: took(), error: messageOf(error) };
  }
}

function orderOf(check: HealthCheck): number {
  return check.order ?? 100;
}
