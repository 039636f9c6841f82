import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEvent } from '#core';
import { serveEndpoints } from '../http/serve.ts';
import { createTestBrowser } from '../test-browser.ts';
import { createTestCall } from '../test-call.ts';
import { startTestGround } from '../test-ground.ts';
import { tenantValidationEndpoints, tenantValidationPath } from './tenant-validation-pages.ts';
import { createTenantValidation } from './tenant-validation.ts';

const day = 24 * 60 * 60_000;

/** Two inactive tenants, the pages, and what was audited; `works` is what validation leads to. */
async function start({ works = true } = {}) {
  const ground = await startTestGround();
  const { tenants } = ground.administration;
  const make = async (domain: string) => {
    const facts = { domain, adminName: 'boss', adminPassword: 'boss-password', email: `boss@${domain}` };
    const tenant = await tenants.create(facts);
    await tenants.setActive(domain, false);
    return tenant;
  };
  const [acme, other] = [await make('acme.com'), await make('other.com')];
  const validation = createTenantValidation(ground.database, ground.clock);
  const audited: AuditEvent[] = [];
  const endpoints = tenantValidationEndpoints({
    tenants,
    validation,
    async validated({ domain }) {
      if (works) await tenants.setActive(domain, true);
      return works;
    },
    audit: { record: (event) => void audited.push(event) },
  });
  const findTenant = (domain: string) => tenants.find(domain);
  const call = createTestCall(serveEndpoints({ endpoints, findTenant, publicUrl: 'https://localhost:9443' }));
  const isActive = async (domain: string): Promise<boolean | undefined> => (await tenants.find(domain))?.isActive;
  const open = (domain: string, code: string) =>
    createTestBrowser({ call }).open(`${tenantValidationPath}?${new URLSearchParams({ domain, code }).toString()}`);
  return { ground, tenants, acme, other, validation, audited, isActive, open, call };
}

test('the address of the mail asks, and its button lets the tenant work, once', async () => {
  const { ground, acme, validation, audited, isActive, open } = await start();
  await using _ = ground;
  const code = await validation.begin(acme);
  const browser = await open('acme.com', code);
  assert.match(browser.answer.text, /acme\.com/);
  assert.equal(await isActive('acme.com'), false, 'looking does nothing');
  await browser.submit({});
  assert.equal(browser.answer.status, 200, browser.answer.text);
  assert.equal(await isActive('acme.com'), true);
  assert.deepEqual(
    audited.map(({ action, target }) => [action, target]),
    [['activated', 'tenant:acme.com']],
  );
  await ground.administration.tenants.setActive('acme.com', false);
  const again = await open('acme.com', code);
  await again.submit({});
  assert.equal(again.answer.status, 400);
  assert.equal(await isActive('acme.com'), false);
});

test('codes that are wrong, of another tenant, former, late or without the form do nothing', async () => {
  const { ground, acme, other, validation, isActive, open, call } = await start();
  await using _ = ground;
  const former = await validation.begin(acme);
  const code = await validation.begin(acme);
  const theirs = await validation.begin(other);
  for (const [domain, wrong] of [
    ['acme.com', 'x'],
    ['acme.com', theirs],
    ['acme.com', former],
    ['no.one', code],
    ['carbon.super', code],
  ] as const) {
    const browser = await open(domain, wrong);
    await browser.submit({});
    assert.equal(browser.answer.status, 400, domain);
  }
  assert.equal((await call(tenantValidationPath, { form: { domain: 'acme.com', code } })).status, 400);
  ground.clock.advance(day + 1);
  await (await open('acme.com', code)).submit({});
  assert.equal(await isActive('acme.com'), false);
});

test('a tenant that an administrator stops stays so, whoever finds the mail', async () => {
  const { ground, tenants, acme, validation, isActive, open } = await start();
  await using _ = ground;
  const code = await validation.begin(acme);
  await tenants.setActive('acme.com', true);
  await tenants.setActive('acme.com', false);
  await (await open('acme.com', code)).submit({});
  assert.equal(await isActive('acme.com'), false);
});

test('where activation is moderated the owner is told to wait', async () => {
  const { ground, acme, validation, audited, isActive, open } = await start({ works: false });
  await using _ = ground;
  const browser = await open('acme.com', await validation.begin(acme));
  await browser.submit({});
  assert.match(browser.answer.text, /administrator/);
  assert.equal(await isActive('acme.com'), false);
  assert.equal(audited[0]?.action, 'validated');
});
