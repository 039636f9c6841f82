import { createTimeLimited, newRowId, type Clock } from '#core';
import type { Stores, Tenant, UserStore } from '#identity';
import { healthCodes, joinFindings, type HealthChecker, type HealthFindings } from './checker.ts';
import { failureText } from './failure-text.ts';
import { createMonitored } from './monitored.ts';
import { itemTime } from './time.ts';

export interface UserStoreCheckerParts {
  readonly order: number;
  readonly stores: Pick<Stores, 'of' | 'faulty'>;
  readonly tenant: Tenant;
  /** Domains of the stores to check; all of them when undefined. */
  readonly monitored: readonly string[] | undefined;
  readonly clock: Clock;
}

/** Whether each user store of the super tenant answers when it is asked for a user, and whether all could be opened. */
export function createUserStoreChecker({
  order,
  stores,
  tenant,
  monitored,
  clock,
}: UserStoreCheckerParts): HealthChecker {
  const limited = createTimeLimited<void>(itemTime, clock);
  const watched = createMonitored({ key: 'monitored.user.stores', names: monitored });

  const checkStore = async (store: UserStore): Promise<HealthFindings> => {
    const { domain } = store;
    try {
      // A name that nobody has, so that no cache answers in the place of the store.
      await limited.run(domain, async () => void (await store.find(tenant, `health-check-${newRowId()}`)));
      return { properties: { [`${domain}.userstore.health`]: 'healthy' }, errors: [] };
    } catch (error) {
      const message = `The user store ${domain} cannot be used`;
      return {
        properties: {},
        errors: [{ code: healthCodes.userStore, message, description: failureText(error), cause: error }],
      };
    }
  };

  return {
    name: 'SuperTenantUSHealthChecker',
    order,
    async check() {
      const opened = (await stores.of(tenant)).map((store) => ({
        domain: store.domain,
        check: () => checkStore(store),
      }));
      const unopened = (await stores.faulty(tenant)).map((file) => ({
        domain: domainOf(file),
        check: () => Promise.resolve(faultOf(file)),
      }));
      const wanted = watched.among([...opened, ...unopened], ({ domain }) => domain);
      return joinFindings(await Promise.all(wanted.map((each) => each.check())));
    },
  };
}

/** The original names the file of a store after its domain. */
function domainOf(file: string): string {
  return file.replace(/\.xml$/, '').replaceAll('_', '.');
}

function faultOf(file: string): HealthFindings {
  const message = `The user store of the file ${file} cannot be opened`;
  return {
    properties: {},
    errors: [{ code: healthCodes.listingUserStores, message, description: 'The log says why' }],
  };
}
