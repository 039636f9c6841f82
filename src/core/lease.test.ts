import { leasesContract } from '../../test/contract/leases.ts';
import { createMemoryLeases } from './lease.ts';

leasesContract('in memory', async (clock) => {
  const leases = createMemoryLeases(clock);
  return [leases, leases];
});
