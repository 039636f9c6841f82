import type { Health } from '#core';
import { healthCodes, type HealthChecker } from './checker.ts';

/** Whether the server takes requests: neither while it starts nor while it stops. */
export function createStartupChecker(order: number, health: Pick<Health, 'phase'>): HealthChecker {
  return {
    name: 'ServerStartupChecker',
    order,
    check: async () => ({
      properties: {},
      errors:
        health.phase === 'ready'
          ? []
          : [{ code: healthCodes.notRunning, message: 'The server is not running', description: health.phase }],
    }),
  };
}
