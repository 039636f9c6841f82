import { spawnSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import process from 'node:process';

/** What the figures of a run depend on. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  /** Load average of the last minute before the run; anything above 0.3 per core spoils it. */
  readonly load: number;
  readonly node: string;
}

/** Describes this machine at this moment. */
export function describeMachine(): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    load: Number((loadavg()[0] ?? 0).toFixed(2)),
    node: process.version,
  };
}

/** Whether the program `name` can be started; `flag` makes it end at once. */
export function isInstalled(name: string, flag: string): boolean {
  return spawnSync(name, [flag], { stdio: 'ignore' }).error === undefined;
}

/** Who runs on which core: what is measured alone on the first, the load on the last, the back end between them. */
export function coreOf(part: 'measured' | 'back end' | 'load'): number {
  const last = cpus().length - 1;
  if (part === 'measured') return 0;
  return part === 'load' ? last : Math.max(last - 1, Math.min(1, last));
}
