import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { configureLog } from '#core';
import { complaintsOf } from '../helpers/console-rules.ts';
import { noBrowser, openBrowser, setStage, type Stage } from '../helpers/console-stage.ts';
import { eventually } from '../helpers/test-dashboard.ts';
import { car, zip } from '../helpers/temporary-files.ts';

describe('the console over several groups', { skip: noBrowser }, () => {
  let browser: Browser;
  let stage: Stage;
  let page: Page;
  const open = async (path: string, text: string): Promise<void> => {
    await page.goto(stage.dashboard.url + path);
    await page.locator('main').getByText(text).first().waitFor();
  };

  before(async () => {
    configureLog({ level: 'silent', format: 'json' });
    browser = await openBrowser();
    stage = await setStage(browser, 'groups');
    page = await stage.page();
  });
  after(async () => {
    await browser.close();
    await stage[Symbol.asyncDispose]();
  });

  it('leads from what fails and from traffic to the group in which it does', async () => {
    await open('/', 'What is failing?');
    const failing = page.getByRole('region', { name: 'What is failing?' });
    assert.match(
      (await failing.getByRole('link', { name: 'api:Orders' }).first().getAttribute('href')) ?? '',
      /\/east\//,
    );
    await failing.getByRole('link', { name: 'api:Billing' }).first().click();
    await page.waitForURL(/\/artifacts\/west\/api\/Billing/);
    await open('/traffic', 'By artifact');
    await page.getByRole('cell', { name: 'west' }).waitFor();
    await page.getByRole('link', { name: 'api:Billing' }).click();
    await page.waitForURL(/\/artifacts\/west\/api\/Billing/);
  });

  it('looks at the nodes that are chosen in the top bar, from page to page', async () => {
    await open('/', 'Is everything up?');
    const bar = page.getByRole('banner');
    const choice = bar.locator('.scope summary');
    await choice.click();
    await bar.getByLabel('east-2').check();
    await bar.getByLabel('west-1').check();
    await page.waitForURL(/\?node=east-2&node=west-1$/);
    assert.deepEqual(await complaintsOf(page), []);
    await page.keyboard.press('Escape');
    assert.match(await choice.innerText(), /2 nodes/);
    await page.getByText('2/2').waitFor();
    await page.locator('.rail').getByRole('link', { name: 'Artifacts' }).click();
    await page.waitForURL(/\/artifacts\?node=east-2&node=west-1$/);
    const orders = page.getByRole('row', { name: /Orders api east/ });
    assert.match(await orders.innerText(), /1\/1/);
    await page.locator('.rail').getByRole('link', { name: 'Logs' }).click();
    const own = page.getByRole('main').getByLabel('Node');
    await own.waitFor();
    assert.deepEqual(await own.locator('option').allInnerTexts(), ['east / east-2', 'west / west-1']);
    await own.selectOption('west / west-1');
    await page.waitForURL(/on=west%2Fwest-1/);
    await bar.getByLabel('Group').selectOption('west');
    await page.waitForURL((url) => url.search === '?group=west');
    assert.equal(await choice.count(), 0);
    await open('/?node=gone', 'None of the chosen nodes reports');
    await choice.click();
    await bar.getByRole('button', { name: 'All nodes' }).click();
    await page.getByText('3/3').waitFor();
    await open('/traffic?node=west-1', 'api:Billing');
    assert.equal(await page.getByRole('link', { name: 'api:Orders' }).count(), 0);
  });

  it('changes, adds and forgets loggers on one node or on all that are chosen', async () => {
    const [first, second] = stage.runtimes;
    const calls = (call: string): number[] =>
      [first, second].map((runtime) => runtime?.calls.filter((each) => each === call).length ?? 0);
    await open('/logs?tab=levels&group=east', 'rootLogger');
    await page.getByLabel('Level of mediation').selectOption('DEBUG');
    await page.getByText('Done on 1 of 1 node.').waitFor();
    assert.deepEqual(calls('PATCH logging'), [1, 0]);
    await page.getByLabel('Change them on all 2 nodes of east').check();
    await page.waitForURL(/all=true/);
    await page.getByLabel('Name of the new logger').fill('orders');
    await page.getByLabel('Class or area of the new logger').fill('org.example.Orders');
    await page.getByRole('button', { name: 'Add logger' }).click();
    await page.getByText('Done on 2 of 2 nodes.').waitFor();
    assert.deepEqual(calls('PATCH logging'), [2, 1]);
    assert.deepEqual(await complaintsOf(page), []);
    await page.getByRole('button', { name: 'Forget mediation' }).click();
    await eventually(() => calls('DELETE logging').every((count) => count === 1));
  });

  it('compares an archive with what runs in the groups of the chosen nodes', async () => {
    const source = '<api name="Billing" context="/bill"><resource methods="POST"/></api>';
    const archive = await zip(
      car({ name: 'App', parts: [{ name: 'Billing', type: 'synapse/api', files: { 'Billing.xml': source } }] }),
    );
    await open('/deploy', 'Nothing is sent before');
    await page.setInputFiles('input[type=file]', {
      name: 'App.car',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(archive),
    });
    await page.getByText('1 new, 0 changed, 0 the same as what runs in east.').waitFor();
    await page.getByText('0 new, 1 changed, 0 the same as what runs in west.').waitFor();
    for (const node of ['east / east-1', 'east / east-2']) await page.getByLabel(node).uncheck();
    await page.getByText('runs in east').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'What it changes in west' }).waitFor();
    assert.deepEqual(await complaintsOf(page), []);
  });
});
