import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import type { Metrics } from './metrics.ts';

/**
 * Adds memory, processor time, start time and event-loop delay of this process, under the names that Prometheus
 * clients use for them. Values are read when they are collected; nothing keeps the process alive. Disposing stops it.
 */
export function observeProcess(metrics: Metrics): Disposable {
  const cpu = metrics.counter({ name: 'process_cpu_seconds_total', help: 'User and system time spent, in seconds' });
  const resident = metrics.gauge({ name: 'process_resident_memory_bytes', help: 'Resident memory, in bytes' });
  const heap = metrics.gauge({ name: 'nodejs_heap_size_used_bytes', help: 'Heap in use, in bytes' });
  const heapTotal = metrics.gauge({ name: 'nodejs_heap_size_total_bytes', help: 'Heap reserved, in bytes' });
  const external = metrics.gauge({ name: 'nodejs_external_memory_bytes', help: 'Memory outside the heap, in bytes' });
  const started = metrics.gauge({
    name: 'process_start_time_seconds',
    help: 'Start, in seconds since the epoch',
    combine: 'min',
  });
  const lag = metrics.gauge({
    name: 'nodejs_eventloop_lag_seconds',
    help: 'Delay of the event loop since the last reading, in seconds',
    labels: ['quantile'],
    combine: 'max',
  });
  started.with().set((Date.now() - performance.now()) / 1000);
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const collecting = metrics.onCollect(() => {
    const memory = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    cpu.with().follow((user + system) / 1e6);
    resident.with().set(memory.rss);
    heap.with().set(memory.heapUsed);
    heapTotal.with().set(memory.heapTotal);
    external.with().set(memory.external);
    for (const quantile of [50, 90, 99]) {
      lag.with(String(quantile / 100)).set(delay.count > 0 ? delay.percentile(quantile) / 1e9 : 0);
    }
    delay.reset();
  });
  return {
    [Symbol.dispose]() {
      collecting[Symbol.dispose]();
      delay.disable();
    },
  };
}
