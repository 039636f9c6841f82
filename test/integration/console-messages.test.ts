import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { complaintsOf } from '../helpers/console-rules.ts';
import { noBrowser, openBrowser, setStage, type Stage } from '../helpers/console-stage.ts';
import { eventually } from '../helpers/test-dashboard.ts';

describe('traces and stored messages in a browser', { skip: noBrowser }, () => {
  let browser: Browser;
  let stage: Stage;
  let page: Page;
  const errors: string[] = [];
  const open = async (path: string, text: string): Promise<void> => {
    await page.goto(stage.dashboard.url + path);
    await page.getByText(text).first().waitFor();
  };

  before(async () => {
    browser = await openBrowser();
    stage = await setStage(browser, 'small');
    page = await stage.page();
    page.on('pageerror', (error) => errors.push(error.message));
  });
  after(async () => {
    await browser.close();
    await stage[Symbol.asyncDispose]();
    assert.deepEqual(errors, [], 'errors of scripts');
  });

  it('replays a traced request, without what was masked, and leads to the new trace', async () => {
    await open('/traces/default/node-1/3?step=1', 'Changed here');
    await page.getByRole('button', { name: 'Replay' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay the request' });
    await dialog.getByText('not known here: Authorization').waitFor();
    assert.equal(await dialog.getByLabel('Path').inputValue(), '/order/7?express=true');
    assert.match(await dialog.getByLabel('Headers, one a line').inputValue(), /^Accept: \*\/\*$/);
    await dialog.getByRole('button', { name: 'Send the request' }).click();
    await dialog.getByText('Status 200').waitFor();
    await dialog.getByText('"lane": "usual"').waitFor();
    assert.ok(stage.runtimes[0]?.calls.includes('POST millrace/replays'));
    assert.deepEqual(await complaintsOf(page), []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('lists traces with what asked, what was answered and where it ended, and looks inside them', async () => {
    await open('/traces', 'api:Orders');
    const row = page.getByRole('row', { name: /api:Orders/ });
    assert.match(
      await row.innerText(),
      /POST \/order\/7\?express=true\s+500 failed\s+12\.4 ms\s+resource:0\/in\/1\s+22 B\s+2/,
    );
    await page.keyboard.press('/');
    await page.keyboard.type('lane');
    await page.waitForURL(/q=lane/);
    await eventually(() => stage.runtimes[0]?.calls.includes('GET millrace/traces?q=lane'));
    await row.getByRole('link', { name: 'resource:0/in/1' }).click();
    await page.waitForURL(/tab=flow&at=api%3AOrders/);
    await open('/traces?failed=true&artifact=api%3AOrders', 'api:Orders ✕');
    await page.getByRole('button', { name: 'api:Orders ✕' }).click();
    await page.waitForURL((url) => !url.searchParams.has('artifact') && url.searchParams.has('failed'));
  });

  it('copies a traced request as a command for the address that the runtime reports', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await open('/traces/default/node-1/3?step=1', 'Changed here');
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const command: unknown = await page.evaluate('navigator.clipboard.readText()');
    assert.match(String(command), /^curl -X POST 'http:\/\/orders\.example:8295\/order\/7\?express=true'/);
  });

  it('saves a trace as a unit-test suite that holds the artifact and its endpoints', async () => {
    await open('/traces/default/node-1/3', 'Changed here');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as test' }).click(),
    ]);
    assert.equal(saved.suggestedFilename(), 'Orders-suite.xml');
    const suite = readFileSync(await saved.path(), 'utf8');
    assert.match(suite, /<request-path>\/7\?express=true<\/request-path>/);
    assert.match(suite, /<test-artifact>\s*<artifact><api name="Orders"/);
    assert.match(suite, /<endpoint name="Stock">/);
    assert.match(suite, /<!-- Missing: what Stock answers: the traced message did not go there\. -->/);
    assert.doesNotMatch(suite, /\*\*\*\*\*/);
  });

  it('walks through a message store by pages, whose addresses can be sent', async () => {
    await open('/messages?store=Pending', 'Numbers 11 to 12, 3 in all');
    await page.keyboard.press(']');
    await page.getByRole('cell', { name: 'last' }).waitFor();
    await page.getByText('Number 13, 3 in all').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('cursor'), '12');
    assert.equal(await page.getByRole('button', { name: 'After' }).isDisabled(), true);
    await page.keyboard.press('[');
    await page.getByRole('cell', { name: '{"id":7}' }).waitFor();
    await page.goBack();
    await page.getByRole('cell', { name: 'last' }).waitFor();
    await page.reload();
    await page.getByRole('cell', { name: 'last' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Before' }).isDisabled(), true);
    await page.getByRole('button', { name: 'First' }).click();
    await page.getByText('Numbers 11 to 12, 3 in all').waitFor();
  });

  it('looks into a message store, puts a message behind the others and removes all after the name was typed', async () => {
    await open('/messages', 'Pending');
    await page.getByRole('link', { name: 'Pending' }).click();
    await page.getByText('The back end did not answer').waitFor();
    await page.getByRole('cell', { name: '{"id":7}' }).click();
    await page.waitForURL(/message=11/);
    const message = page.getByRole('complementary', { name: 'Message' });
    await message.getByText('default:lane').waitFor();
    await message.getByRole('button', { name: 'Put behind the others' }).click();
    await page.waitForURL((url) => !url.searchParams.has('message'));
    assert.ok(stage.runtimes[0]?.calls.includes('POST millrace/stored-messages/Pending/11/requeue'));
    await page.getByRole('button', { name: 'Remove all messages' }).click();
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove all messages' });
    assert.equal(await remove.isDisabled(), true);
    await page.getByRole('dialog').getByRole('textbox').fill('Pending');
    await remove.click();
    await eventually(() => stage.runtimes[0]?.calls.includes('DELETE millrace/stored-messages/Pending'));
  });
});
