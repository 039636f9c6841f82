import { type Health, type HealthReport, metricsTextType } from '#core';
import { defineOperation, type Operation } from './operation.ts';
import { jsonResponse, textResponse } from './responses.ts';

/** Name of the readiness check that reports archives which could not be deployed, in `detail.faulty`. */
export const carbonAppsCheck = 'carbonapps';

interface Probe {
  readonly id: string;
  readonly summary: string;
  readonly report: () => Promise<HealthReport>;
  /** Status when something is not in order. */
  readonly failure: number;
  readonly body: (report: HealthReport) => unknown;
}

/**
 * The probes: `/livez` and `/readyz`, `/liveness` and `/healthz` in the original's form, each with `?verbose` for all
 * checks, and the metrics as Prometheus text, which `readMetrics` gives. All are public and load no schema library.
 */
export function probeOperations(health: Health, readMetrics: () => string | Promise<string>): readonly Operation[] {
  const alive = { summary: 'Whether the process can go on', report: () => health.liveness() };
  const ready = { summary: 'Whether requests may be sent here', report: () => health.readiness() };
  return [
    defineProbe({ ...alive, id: 'livez', failure: 503, body: briefly }),
    defineProbe({ ...ready, id: 'readyz', failure: 503, body: briefly }),
    defineProbe({ ...alive, id: 'liveness', failure: 500, body: originalLiveness }),
    defineProbe({ ...ready, id: 'healthz', failure: 500, body: originalReadiness }),
    defineOperation({
      id: 'metrics',
      method: 'GET',
      path: '/metric-service/metrics',
      summary: 'Current values in Prometheus text format',
      responses: { 200: { description: 'All metrics', type: metricsTextType } },
      public: true,
      handle: async () => textResponse(await readMetrics(), { type: metricsTextType }),
    }),
  ];
}

function defineProbe(probe: Probe): Operation {
  return defineOperation({
    id: probe.id,
    method: 'GET',
    path: `/${probe.id}`,
    summary: probe.summary,
    responses: { 200: { description: 'In order' }, [probe.failure]: { description: 'Not in order' } },
    public: true,
    async handle({ query }) {
      const report = await probe.report();
      const body = 'verbose' in query ? report : probe.body(report);
      return jsonResponse(body, report.healthy ? 200 : probe.failure);
    },
  });
}

function briefly(report: HealthReport): unknown {
  const failing = failingChecks(report);
  return { healthy: report.healthy, phase: report.phase, ...(failing.length > 0 && { failing }) };
}

function originalLiveness(report: HealthReport): unknown {
  return { server: report.healthy ? 'started' : 'failing' };
}

function originalReadiness(report: HealthReport): unknown {
  if (report.healthy) return { status: 'ready' };
  const faulty = report.checks.find((check) => check.name === carbonAppsCheck && !check.healthy)?.detail?.['faulty'];
  return faulty === undefined
    ? { status: 'not ready', failing: failingChecks(report) }
    : { status: 'not ready, faulty CAPPs detected', 'Faulty CAPPs': faulty };
}

function failingChecks(report: HealthReport): readonly string[] {
  return report.checks.filter((check) => !check.healthy).map((check) => check.name);
}
