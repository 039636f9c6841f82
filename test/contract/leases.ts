import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestClock, type Clock, type Leases } from '#core';

/** What every implementation of `Leases` must do. `create` gives the views of two nodes on the same leases. */
export function leasesContract(name: string, create: (clock: Clock) => Promise<readonly [Leases, Leases]>): void {
  describe(`leases: ${name}`, () => {
    const request = { name: 'task:Nightly', holder: 'node-1', ttl: 10_000 };
    const other = { ...request, holder: 'node-2' };

    it('gives a lease to one holder at a time', async () => {
      const clock = createTestClock();
      const [first, second] = await create(clock);
      const lease = await first.acquire(request);
      assert.deepEqual(lease, { name: 'task:Nightly', holder: 'node-1', fencing: 1, expiresAt: clock.now() + 10_000 });
      assert.equal(await second.acquire(other), undefined);
      assert.equal((await second.acquire({ ...other, name: 'task:Other' }))?.fencing, 1);
    });

    it('gives its holder the same lease again', async () => {
      const clock = createTestClock();
      const [first] = await create(clock);
      await first.acquire(request);
      clock.advance(4000);
      const again = await first.acquire(request);
      assert.equal(again?.fencing, 1);
      assert.equal(again?.expiresAt, clock.now() + 10_000);
    });

    it('passes it on with a higher number when it has ended', async () => {
      const clock = createTestClock();
      const [first, second] = await create(clock);
      const old = await first.acquire(request);
      clock.advance(10_000);
      const taken = await second.acquire(other);
      assert.equal(taken?.fencing, 2);
      assert.ok(old);
      assert.equal(await first.renew(old, 10_000), undefined);
      await first.release(old);
      assert.equal(await first.acquire(request), undefined);
    });

    it('keeps it as long as it is renewed, and no longer', async () => {
      const clock = createTestClock();
      const [first, second] = await create(clock);
      let lease = await first.acquire(request);
      for (let round = 0; round < 3; round++) {
        clock.advance(9000);
        assert.ok(lease);
        lease = await first.renew(lease, 10_000);
        assert.equal(await second.acquire(other), undefined);
      }
      assert.equal(lease?.expiresAt, clock.now() + 10_000);
      clock.advance(10_000);
      assert.ok(lease);
      assert.equal(await first.renew(lease, 10_000), undefined);
    });

    it('is free after its release, and the number still grows', async () => {
      const clock = createTestClock();
      const [first, second] = await create(clock);
      const lease = await first.acquire(request);
      assert.ok(lease);
      await first.release(lease);
      assert.equal((await second.acquire(other))?.fencing, 2);
    });
  });
}
