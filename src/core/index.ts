export { auditTrailLength, createAuditTrail, type AuditTrail } from './audit-trail.ts';
export { createAudit, type Audit, type AuditEvent, type AuditOptions, type AuditRecord } from './audit.ts';
export { auditLine, auditShape } from './audit-line.ts';
export { systemClock, type Clock } from './clock.ts';
export { DeadlineError, withDeadline } from './deadline.ts';
export { isModuleSpecifier, loadExtension, requireExtension } from './extensions.ts';
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
export { createRowIds, newMessageId, newRowId } from './ids.ts';
export { fillRandom } from './random.ts';
export { createTimeLimited, TimeLimitError, withinTime, type TimeLimited } from './time-limit.ts';
export { createShelf, type Shelf, type ShelfLimit } from './shelf.ts';
export { createMemoryLeases, type Lease, type LeaseRequest, type Leases } from './lease.ts';
export {
  defineModule,
  orderModules,
  startModules,
  type ModuleDefinition,
  type RunningModule,
  type RunningModules,
  type StartOptions,
} from './lifecycle.ts';
export {
  createBackoff,
  createConcurrencyLimiter,
  createTokenBucket,
  type Backoff,
  type BackoffOptions,
  type ConcurrencyLimiter,
  type TokenBucket,
} from './limits.ts';
export { createLogFiles, logFileNames, type LogFiles, type LogFilesOptions } from './log-files.ts';
export type { LogFileLimits } from './log-file.ts';
export {
  configureLog,
  addLogFields,
  addLogSink,
  getLogger,
  listLoggers,
  rootLogLevel,
  setRootLogLevel,
  type LogFields,
  type Logger,
  type LogLevel,
  type LogOptions,
  type LogSink,
} from './log.ts';
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
export {
  mergeMetrics,
  snapshotMetrics,
  totalsOf,
  type HistogramValues,
  type MetricSnapshot,
} from './metric-snapshot.ts';
export { metricsText, metricsTextType } from './metrics-text.ts';
export { isInside, resolveInside } from './paths.ts';
export { observeProcess } from './process-metrics.ts';
export { createTestClock, type TestClock } from './test-clock.ts';
export { createThreadPool, type ThreadPool, type ThreadPoolOptions, type ThreadReply } from './thread-pool.ts';
export { createWorkerPool, type WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';
