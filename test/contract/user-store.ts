import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { superTenant, type Tenant } from '../../src/identity/tenants/tenant.ts';
import type { UserStore } from '../../src/identity/users/user-store.ts';

const acme: Tenant = { id: 1, domain: 'acme.com', isActive: true };
const mail = 'http://wso2.org/claims/emailaddress';
const city = 'http://wso2.org/claims/locality';

/** What every store of users must do. `open` gives another view of one and the same store. */
export function userStoreContract(name: string, open: () => Promise<UserStore>): void {
  describe(`users: ${name}`, () => {
    it('lets in whoever it made, and nobody else', async () => {
      await using store = await open();
      const made = await store.create(superTenant, { name: 'grace', password: 'first-password' });
      const { user } = await store.signIn(superTenant, 'grace', 'first-password');
      assert.equal(user?.id, made.id);
      assert.equal((await store.signIn(superTenant, 'grace', 'other-password')).failure, 'password');
      assert.equal((await store.signIn(superTenant, 'grace', '')).user, undefined);
      assert.equal((await store.signIn(superTenant, 'nobody', 'first-password')).failure, 'unknown');
      assert.equal((await store.find(superTenant, 'GRACE'))?.id, made.id);
      assert.equal((await store.byId(superTenant, made.id))?.name, 'grace');
      assert.equal(await store.isBlocked(made), false);
    });

    it('keeps tenants apart', async () => {
      await using store = await open();
      const own = await store.create(superTenant, { name: 'twin', password: 'super-secret' });
      const other = await store.create(acme, { name: 'twin', password: 'acme-secret' });
      assert.notEqual(own.id, other.id);
      assert.equal((await store.signIn(superTenant, 'twin', 'acme-secret')).user, undefined);
      assert.equal((await store.signIn(acme, 'twin', 'acme-secret')).user?.id, other.id);
      assert.equal(await store.byId(acme, own.id), undefined);
      assert.equal(await store.byId(superTenant, other.id), undefined);
      await store.create(acme, { name: 'only-acme', password: 'acme-secret' });
      assert.equal(await store.find(superTenant, 'only-acme'), undefined);
      const names = (await store.list(superTenant, { limit: 100 })).map((user) => user.name);
      assert.equal(names.includes('only-acme'), false);
      await store.delete(other);
      assert.equal((await store.signIn(superTenant, 'twin', 'super-secret')).user?.id, own.id);
    });

    it('takes names as names, whatever they hold', async () => {
      await using store = await open();
      const hostile = ['a*b', 'x(y)', 'comma,name', 'plus+name', 'semi;colon', '#hash', '"quoted"', "o'hara", 'eq=uid'];
      for (const each of hostile) {
        const made = await store.create(superTenant, { name: each, password: 'right-password' });
        assert.equal((await store.signIn(superTenant, each, 'right-password')).user?.id, made.id, each);
      }
      assert.equal((await store.signIn(superTenant, '*', 'right-password')).user, undefined);
      assert.equal((await store.signIn(superTenant, 'a*', 'right-password')).user, undefined);
      assert.equal((await store.signIn(superTenant, 'x)(uid=*', 'right-password')).user, undefined);
      for (const each of hostile) {
        const user = await store.find(superTenant, each);
        assert.ok(user, each);
        await store.delete(user);
        assert.equal(await store.find(superTenant, each), undefined);
      }
    });

    it('refuses names that are taken, in any case, and what breaks its rules', async () => {
      await using store = await open();
      await store.create(superTenant, { name: 'taken', password: 'long-enough' });
      await assert.rejects(store.create(superTenant, { name: 'Taken', password: 'long-enough' }), {
        code: 'MR_USER_EXISTS',
      });
      await assert.rejects(store.create(superTenant, { name: 'a b', password: 'long-enough' }), {
        code: 'MR_USER_NAME',
      });
      await assert.rejects(store.create(superTenant, { name: 'short', password: 'x' }), { code: 'MR_USER_PASSWORD' });
    });

    it('changes passwords and claims', async () => {
      await using store = await open();
      const claims = new Map([[mail, 'mary@example.com']]);
      const user = await store.create(superTenant, { name: 'mary', password: 'before-change', claims });
      assert.deepEqual([...(await store.claims(user, [mail, city]))], [[mail, 'mary@example.com']]);
      await store.setClaims(
        user,
        new Map([
          [mail, null],
          [city, 'Zürich'],
        ]),
      );
      await store.setClaims(user, new Map([[mail, null]]));
      assert.deepEqual([...(await store.claims(user, [mail, city]))], [[city, 'Zürich']]);
      await store.setPassword(user, 'after-change');
      assert.equal((await store.signIn(superTenant, 'mary', 'before-change')).user, undefined);
      assert.equal((await store.signIn(superTenant, 'mary', 'after-change')).user?.id, user.id);
      await store.delete(user);
      assert.equal(await store.isBlocked(user), true);
      assert.equal((await store.signIn(superTenant, 'mary', 'after-change')).user, undefined);
    });

    it('lists by pattern and by pages', async () => {
      await using store = await open();
      for (const each of ['list-a', 'list-b', 'list-c']) {
        await store.create(superTenant, { name: each, password: 'long-enough' });
      }
      const names = async (offset: number, limit: number): Promise<string[]> =>
        (await store.list(superTenant, { name: 'list-*', offset, limit })).map((user) => user.name);
      assert.deepEqual((await names(0, 10)).toSorted(), ['list-a', 'list-b', 'list-c']);
      assert.deepEqual([...(await names(0, 2)), ...(await names(2, 2))].toSorted(), ['list-a', 'list-b', 'list-c']);
    });
  });
}
