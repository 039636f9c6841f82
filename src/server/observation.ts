import { mediation, passthruHttp, type Config } from '#config';
import type { Clock } from '#core';
import { createObserver, createSwitches, type Observer, type Switches } from '#mediation';
import { openMasking } from './masking.ts';

/** What people look at and steer while the server runs; it outlives worlds. */
export interface Steering extends Disposable {
  readonly observer: Observer;
  readonly switches: Switches;
  /** Whether each request is written to the log `correlation`. */
  readonly correlationLog: { isOn: boolean; readonly header: string };
  /** Has the artifacts compiled anew; set when there is something that deploys them. */
  rebuild: () => Promise<unknown>;
}

/**
 * Reads what is counted, recorded and masked, and makes what observes (config-catalog, `[mediation]`).
 *
 * @throws ProblemsError for masking rules that cannot be compiled
 */
export function openSteering(config: Config, clock: Clock, maxBodyBytes: number): Steering {
  const steering = { rebuild: () => Promise.resolve() as Promise<unknown> };
  const isCleaned = config.get(mediation.statisticsEnableClean);
  const observer = createObserver(
    {
      statistics: config.get(mediation.flowStatisticsEnable),
      capturesAll: config.get(mediation.flowStatisticsCaptureAll),
      recorded: {
        payloads: config.get(mediation.statTracerCollectPayloads),
        properties: config.get(mediation.statTracerCollectMediationProperties),
        variables: config.get(mediation.statTracerCollectMediationVariables),
      },
      window: isCleaned ? config.milliseconds(mediation.statisticsCleanInterval) : undefined,
      maxBodyBytes,
      correlationHeaders: [
        config.get(passthruHttp.correlationHeaderName),
        'X-Correlation-ID',
        'X-Request-ID',
        'activityid',
      ],
      masking: openMasking(config),
    },
    clock,
    () => void steering.rebuild(),
  );
  return Object.assign(steering, {
    observer,
    switches: createSwitches(),
    correlationLog: { isOn: false, header: config.get(passthruHttp.correlationHeaderName) },
    [Symbol.dispose]: () => observer[Symbol.dispose](),
  });
}
