import { createTimeLimited, type Clock } from '#core';
import type { Database, PoolCounters } from '#db';
import { healthCodes, joinFindings, type HealthChecker, type HealthError, type HealthFindings } from './checker.ts';
import { failureText } from './failure-text.ts';
import { createMonitored } from './monitored.ts';
import { itemTime } from './time.ts';

/** A data source by the name under which the original's directory has it. */
export interface WatchedSource {
  /** Such as `jdbc/SHARED_DB`. */
  readonly name: string;
  /** The pools to it that this process has; one is opened where there is none. */
  databases(): Promise<readonly Database[]>;
}

export interface DataSourceCheckerParts {
  readonly order: number;
  /** The sources as they are now. */
  readonly sources: () => readonly WatchedSource[];
  /** Names of the sources to check; all of them when undefined. */
  readonly monitored: readonly string[] | undefined;
  /** The share of its connections, in percent, that a pool may have in use. */
  readonly usageLimit: number;
  readonly clock: Clock;
}

/**
 * Whether each data source answers, and whether its pool has connections left. A pool that is used beyond the limit is
 * not asked for a connection: the check would wait with all the others.
 */
export function createDataSourceChecker(parts: DataSourceCheckerParts): HealthChecker {
  const { order, sources, monitored, usageLimit, clock } = parts;
  const limited = createTimeLimited<HealthFindings>(itemTime, clock);
  const watched = createMonitored({ key: 'monitored.datasources', names: monitored, reduce: plainName });

  const examine = async (source: WatchedSource): Promise<HealthFindings> => {
    const { name } = source;
    const all = await source.databases();
    const pools = all.flatMap(({ counters }) => counters ?? []);
    const errors = pools.flatMap((pool) => usageErrors(name, pool, usageLimit));
    if (errors.length > 0) return { properties: {}, errors };
    const began = clock.monotonic();
    await Promise.all(all.map((database) => database.ping()));
    const milliseconds = String(Math.round(clock.monotonic() - began));
    const active = pools.reduce((sum, pool) => sum + pool.active, 0);
    return {
      properties: {
        ...(all.length > 0 && { [`${name}.connectivity.time.ms`]: milliseconds }),
        ...(pools.length > 0 && { [`${name}.active.connection.count`]: String(active) }),
      },
      errors: [],
    };
  };

  const check = async (source: WatchedSource): Promise<HealthFindings> => {
    const { name } = source;
    try {
      return await limited.run(name, () => examine(source));
    } catch (error) {
      const message = `The data source ${name} cannot be used`;
      return {
        properties: {},
        errors: [{ code: healthCodes.connectivity, message, description: failureText(error), cause: error }],
      };
    }
  };

  return {
    name: 'DataSourceHealthChecker',
    order,
    async check() {
      const wanted = watched.among(sources(), ({ name }) => name);
      return joinFindings(await Promise.all(wanted.map(check)));
    },
  };
}

function usageErrors(name: string, { active, maxActive, waiting }: PoolCounters, limit: number): HealthError[] {
  if (active * 100 <= maxActive * limit) return [];
  const inUse = `${active} of ${maxActive} connections are in use, ${waiting} requests wait for one`;
  return [
    {
      code: healthCodes.poolUsage,
      message: `The pool of the data source ${name} is used beyond its limit`,
      description: `${inUse}; the limit is ${limit} %`,
    },
  ];
}

/** Names are written with and without the prefix of the directory. */
function plainName(name: string): string {
  return name.replace(/^jdbc\//i, '');
}
