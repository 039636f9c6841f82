export { systemClock, type Clock } from './clock.ts';
export {
  createHealth,
  type CheckKind,
  type CheckOutcome,
  type CheckReport,
  type Health,
  type HealthCheck,
  type HealthOptions,
  type HealthReport,
  type Phase,
} from './health.ts';
export { createHome, type Home, type HomeFolder } from './home.ts';
export {
  defineModule,
  orderModules,
  startModules,
  type ModuleDefinition,
  type RunningModule,
  type RunningModules,
  type StartOptions,
} from './lifecycle.ts';
export { configureLog, getLogger, type LogFields, type Logger, type LogLevel, type LogOptions } from './log.ts';
export {
  createMetrics,
  type Counter,
  type Gauge,
  type Histogram,
  type MetricFamily,
  type MetricOptions,
  type Metrics,
  type MetricType,
  type MetricView,
} from './metrics.ts';
export { metricsText, metricsTextType } from './metrics-text.ts';
export { isInside, resolveInside } from './paths.ts';
export { observeProcess } from './process-metrics.ts';
export { createTestClock, type TestClock } from './test-clock.ts';
