import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { noBrowser, openBrowser } from '../helpers/console-stage.ts';
import { until } from '../helpers/until.ts';
import { setQuickstartStage, type QuickstartStage } from '../helpers/quickstart-stage.ts';

describe('the console beside the quickstart', { skip: noBrowser }, () => {
  let browser: Browser;
  let stage: QuickstartStage;
  let page: Page;

  before(async () => {
    browser = await openBrowser();
    stage = await setQuickstartStage(browser);
    page = await stage.page();
  });
  after(async () => {
    await browser.close();
    await stage[Symbol.asyncDispose]();
  });

  it('shows its traffic on the overview without anybody reloading', async () => {
    await page.getByText('Is everything up?').waitFor();
    const tile = page.locator('.overview-tiles > div', { hasText: 'messages' });
    // The first look at a runtime may come after its first messages.
    for (let turn = 0; turn < 120 && !/[1-9]/.test(await tile.locator('strong').innerText()); turn++) {
      assert.equal((await fetch(`${stage.api}/dictionary/m/millrace`)).status, 200);
      await page.waitForTimeout(500);
    }
    assert.match(await tile.locator('strong').innerText(), /[1-9].*\/s/);
  });

  it('shows the line of a request in the log while it is written', async () => {
    writeFileSync(
      join(stage.home, 'artifacts/apis/Noted.xml'),
      `<api xmlns="http://ws.apache.org/ns/synapse" name="Noted" context="/noted"><resource methods="GET"><inSequence>
        <log level="custom"><property name="guest" expression="$trp:X-Guest"/></log><respond/></inSequence></resource></api>`,
    );
    await page.locator('.rail').getByRole('link', { name: 'Logs' }).click();
    const log = page.getByLabel('Log', { exact: true });
    await log.getByText('"msg":"started"').waitFor();
    const call = (guest: string): Promise<Response> => fetch(`${stage.api}/noted`, { headers: { 'X-Guest': guest } });
    await until('the API is deployed', async () => (await call('early')).status === 200);
    await call('guest-4711');
    await log.getByText('guest-4711').waitFor();
    await page.locator('.rail').getByRole('link', { name: 'Overview' }).click();
  });

  it('traces the next message, steps through it and leads to the line of the source', async () => {
    await page.locator('.rail').getByRole('link', { name: 'Artifacts' }).click();
    await page.getByRole('link', { name: 'Dictionary', exact: true }).click();
    await page.getByRole('link', { name: 'Flow' }).click();
    await page.getByRole('button', { name: 'Trace the next 20' }).click();
    await page.getByText('are traced on each node').waitFor();
    assert.equal((await fetch(`${stage.api}/dictionary/m/millrace`)).status, 200);
    await page.locator('main').getByRole('link', { name: 'Traces' }).click();
    await page.getByRole('link', { name: 'api:Dictionary' }).first().click();
    await page.getByRole('heading', { name: 'GET /dictionary/m/millrace' }).waitFor();
    const message = page.getByRole('region', { name: 'Message at this step' });
    await message.getByRole('heading', { name: 'call', exact: true }).waitFor();
    for (const element of ['filter', 'payloadFactory']) {
      await page.keyboard.press('j');
      await message.getByRole('heading', { name: element, exact: true }).waitFor();
    }
    await message.getByText('"entry": "millrace"').waitFor();
    await message.getByRole('link', { name: 'api:Dictionary/resource:0/in/1/then/0' }).click();
    const station = page.getByRole('complementary', { name: 'Station' });
    await station.getByText('in it now').waitFor();
    const line = station.locator('dd a');
    const number = await line.innerText();
    await line.click();
    await page.locator('.source .line.marked', { hasText: '<payloadFactory' }).waitFor();
    assert.match(page.url(), new RegExp(`line=${number}&`));
  });
});
