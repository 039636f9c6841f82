import {
  carbonHealthCheckHealthCheckerDataSourceHealthChecker as dataSourceSection,
  carbonHealthCheckHealthCheckerSuperTenantHealthChecker as userStoreSection,
  healthChecker,
  type Config,
  type Reader,
} from '#config';
import { getLogger, type Clock, type Health } from '#core';
import type { Stores, Tenant } from '#identity';
import type { ExtensionPlace } from '#mediation';
import { isAbsentExtension } from '../absent-extension.ts';
import type { HealthChecker } from './checker.ts';
import { createDataSourceChecker, type WatchedSource } from './data-source-checker.ts';
import { openOwnChecker } from './own-checker.ts';
import { createStartupChecker } from './startup-checker.ts';
import { createUserStoreChecker } from './user-store-checker.ts';

const log = getLogger('server');

/** The order of a checker whose section has none. */
const lastOrder = 100;

export interface CheckerParts {
  readonly health: Pick<Health, 'phase'>;
  readonly stores: Pick<Stores, 'of' | 'faulty'>;
  readonly superTenant: Tenant;
  readonly sources: () => readonly WatchedSource[];
  readonly extensions: ExtensionPlace;
  readonly clock: Clock;
}

/** What a `[[health_checker]]` with the name of a built-in checker says in the place of that checker's section. */
interface Overriding {
  readonly order: number | undefined;
  readonly properties: Readonly<Record<string, string>>;
}

/** The built-in checkers by the original's names; undefined for one that is switched off. */
const builtIn: Readonly<
  Record<string, (config: Config, parts: CheckerParts, over: Overriding) => HealthChecker | undefined>
> = {
  ServerStartupChecker: (_, { health }, { order = 0 }) => createStartupChecker(order, health),
  DataSourceHealthChecker(config, { sources, clock }, { order, properties }) {
    if (!config.get(dataSourceSection.enable)) return undefined;
    const limit = properties['pool.usage.limit.percentage'] ?? properties['pool_usage_limit_percentage'];
    return createDataSourceChecker({
      order: order ?? config.get(dataSourceSection.order),
      sources,
      monitored:
        properties['monitored.datasources']?.split(',') ?? config.get(dataSourceSection.propertiesMonitoredDatasources),
      usageLimit:
        limit === undefined ? config.get(dataSourceSection.propertiesPoolUsageLimitPercentage) : Number(limit),
      clock,
    });
  },
  SuperTenantUSHealthChecker(config, { stores, superTenant, clock }, { order, properties }) {
    if (!config.get(userStoreSection.enable)) return undefined;
    return createUserStoreChecker({
      order: order ?? config.get(userStoreSection.order),
      stores,
      tenant: superTenant,
      monitored:
        properties['monitored.user.stores']?.split(',') ?? config.get(userStoreSection.propertiesMonitoredUserStores),
      clock,
    });
  },
};

/** The checkers that are on, in their order; disposing ends those of the extensions. */
export interface OpenCheckers extends AsyncDisposable {
  readonly checkers: readonly HealthChecker[];
}

/**
 * Makes the checkers of the configuration. One that nothing stands in for is left out with a warning, as in the original.
 *
 * @throws ProblemsError, MillraceError for a module of one's own that is wrong or does not start
 */
export async function openCheckers(config: Config, parts: CheckerParts): Promise<OpenCheckers> {
  await using started = new AsyncDisposableStack();
  const overriding = new Map<string, Overriding>();
  const checkers: HealthChecker[] = [];
  for (const reader of config.list(healthChecker)) {
    const name = reader.get(healthChecker.name);
    const order = reader.get(healthChecker.order);
    const properties = reader.bag(healthChecker.properties);
    if (name === undefined) log.warn({ at: reader.at }, 'a [[health_checker]] needs "name"; it is left out');
    else if (Object.hasOwn(builtIn, name)) overriding.set(name, { order, properties });
    else {
      const own = await openOwn(reader, { name, order: order ?? lastOrder, properties }, parts.extensions);
      if (own) checkers.push(started.use(own));
    }
  }
  for (const [name, make] of Object.entries(builtIn)) {
    const checker = make(config, parts, overriding.get(name) ?? { order: undefined, properties: {} });
    if (checker) checkers.push(checker);
  }
  const running = started.move();
  return {
    checkers: checkers.toSorted((left, right) => left.order - right.order),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function openOwn(
  reader: Reader,
  facts: { readonly name: string; readonly order: number; readonly properties: Readonly<Record<string, string>> },
  place: ExtensionPlace,
): Promise<(HealthChecker & AsyncDisposable) | undefined> {
  try {
    return await openOwnChecker({ ...facts, position: reader.position(healthChecker.name) }, place);
  } catch (error) {
    const isMeant = facts.name.startsWith('.') || Object.hasOwn(place.classMap, facts.name);
    if (isMeant || !isAbsentExtension(error)) throw error;
    log.warn({ checker: facts.name, err: error }, 'a health checker is left out');
    return undefined;
  }
}
