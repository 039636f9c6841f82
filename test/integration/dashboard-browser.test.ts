import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { complaintsOf } from '../helpers/console-rules.ts';
import { noBrowser, openBrowser, setStage, type Stage } from '../helpers/console-stage.ts';
import { eventually } from '../helpers/test-dashboard.ts';
import { car, zip } from '../helpers/temporary-files.ts';

describe('the console in a browser', { skip: noBrowser }, () => {
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

  it('contacts no other host', async () => {
    const hosts = new Set<string>();
    page.on('request', (request) =>
      hosts.add(new URL(request.url()).protocol === 'data:' ? 'data' : new URL(request.url()).host),
    );
    await open('/', 'Is everything up?');
    hosts.delete('data');
    assert.deepEqual([...hosts], [new URL(stage.dashboard.url).host]);
  });

  it('leads from the fault on the overview to its mediator', async () => {
    await open('/', 'Error connecting to the back end');
    await page.getByText('api:Orders/resource:0/in/1/then/1').first().waitFor();
    await open('/traces', 'api:Orders');
    await page.getByRole('link', { name: 'api:Orders' }).click();
    await page.getByText('Payloads').or(page.getByText('Payload')).first().waitFor();
    await page.keyboard.press('j');
    await page.getByText('lane').first().waitFor();
    assert.match(page.url(), /step=1/);
    await page.getByRole('link', { name: 'api:Orders/resource:0/in/1' }).click();
    await page.getByText('in it now').waitFor();
  });

  it('says which file could not be deployed, why, where, and what runs instead', async () => {
    await open('/', 'Is everything up?');
    await page
      .getByRole('region', { name: 'What is failing?' })
      .getByRole('link', { name: 'artifacts/api/orders.xml' })
      .click();
    const file = page.getByRole('region', { name: 'artifacts/api/orders.xml' });
    await file.getByText('artifacts/api/orders.xml:5:7').waitFor();
    await file.getByText('expected a mediator; found <lgo>').waitFor();
    await file.getByText('Did you mean log?').waitFor();
    assert.match(await file.getByLabel('Line 5').innerText(), /^5 \|       <lgo level="custom"\/>\n {10}\^$/);
    await file.getByRole('link', { name: 'api:Orders' }).click();
    await page.locator('.source').waitFor();
    await page.getByRole('link', { name: 'file not deployed, see why' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).last().click();
    await page.getByText('the last good version, which runs').waitFor();
    await open('/problems?severity=warning', 'there is no sequence');
    assert.equal(await page.getByText('expected a mediator').count(), 0);
    await page.getByRole('link', { name: 'Shop' }).click();
    await page.waitForURL(/\/artifacts\/default\/application\/Shop/);
    await open('/artifacts/application', 'could not be deployed');
    await page.getByRole('link', { name: 'Broken', exact: true }).click();
    await page.getByText('expected an artifact [MR_APPLICATION_INVALID]').waitFor();
    assert.deepEqual(await complaintsOf(page), []);
  });

  it('finds an artifact by the keyboard alone', async () => {
    await open('/', 'Is everything up?');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('orders');
    await page
      .getByRole('option', { name: /Orders/ })
      .first()
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/artifacts\/default\/api\/Orders/);
    await page.keyboard.press('g');
    await page.keyboard.press('n');
    await page.waitForURL(/\/nodes/);
  });

  it('does what a command of the palette says', async () => {
    await open('/', 'Is everything up?');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('dark col');
    await page.getByRole('option', { name: /Dark colours/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForSelector('html[data-theme=dark]');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('light col');
    await page.getByRole('option', { name: /Light colours/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForSelector('html[data-theme=light]');
  });

  it('filters, sorts, peeks and opens rows of a list, all of it in the address', async () => {
    await open('/artifacts', 'Orders');
    await page.keyboard.press('/');
    await page.keyboard.type('e');
    await page.waitForURL(/q=e/);
    await page.getByRole('button', { name: 'Name' }).click();
    await page.waitForURL(/sort=name/);
    await page.getByRole('region', { name: 'Artifacts' }).focus();
    await page.keyboard.press('j');
    await page.keyboard.press(' ');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Artifacts' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/artifacts\/default\//);
    await page.goBack();
    await page.waitForURL(/q=e.*sort=name|sort=name.*q=e/);
  });

  it('walks a flow by arrows', async () => {
    await open('/artifacts/default/api/Orders?tab=flow', 'payloadFactory');
    await page.getByRole('option', { name: /^log/ }).first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('complementary', { name: 'Station' }).getByText('api:Orders/resource:0/in/1').waitFor();
  });

  it('deactivates what no request goes through after a click, and says so', async () => {
    await open('/artifacts/default/task/Nightly', 'active');
    await page.getByRole('button', { name: 'Deactivate task' }).click();
    const dialog = page.getByRole('dialog', { name: 'Deactivate task' });
    await dialog.getByText('No request that was counted touched it').waitFor();
    assert.equal(await dialog.getByRole('textbox').count(), 0);
    assert.equal(await dialog.getByRole('button', { name: 'Deactivate task' }).isEnabled(), true);
    await page.keyboard.press('Escape');
  });

  it('deactivates an endpoint with traffic only after saying how much, and after its name was typed', async () => {
    await open('/artifacts/default/endpoint/Stock', 'active');
    await page.getByRole('button', { name: 'Deactivate endpoint' }).click();
    const dialog = page.getByRole('dialog', { name: 'Deactivate endpoint' });
    await dialog.getByText('are refused on 1 node').waitFor();
    await dialog.getByText(/^[1-9].* requests in the last hour, through api:Orders\.$/).waitFor();
    const button = dialog.getByRole('button', { name: 'Deactivate endpoint' });
    assert.equal(await button.isDisabled(), true);
    assert.deepEqual(await complaintsOf(page), []);
    await dialog.getByRole('textbox').fill('Stock');
    await button.click();
    await page.getByText('Done on 1 node.').waitFor();
    await page.getByText('inactive').first().waitFor();
  });

  it('shows how an archive differs from what runs before it sends it', async () => {
    const changed =
      '<api name="Orders" context="/order"><resource methods="GET"><inSequence><drop/></inSequence></resource></api>';
    const fresh = '<sequence name="Fresh"><log/></sequence>';
    const archive = await zip(
      car({
        name: 'App',
        parts: [
          { name: 'Orders', type: 'synapse/api', files: { 'Orders.xml': changed } },
          { name: 'Fresh', type: 'synapse/sequence', files: { 'Fresh.xml': fresh } },
        ],
      }),
    );
    await open('/deploy', 'Nothing is sent before');
    await page.setInputFiles('input[type=file]', {
      name: 'App.car',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(archive),
    });
    await page.getByText('1 new, 1 changed, 0 the same').waitFor();
    await page.getByText('<drop>').first().waitFor();
    assert.deepEqual(await complaintsOf(page), []);
    await page.getByRole('button', { name: 'Deploy on 1 node' }).click();
    await page.getByText('done').waitFor();
    assert.ok(stage.runtimes[0]?.calls.includes('POST applications'));
  });

  it('counts what comes while it is paused, and shows it when asked', async () => {
    await open('/nodes', 'node-2');
    await page.getByRole('button', { name: 'Live' }).click();
    stage.dashboard.dashboard.reader.beat(
      {
        product: 'mi',
        group: 'later',
        node: 'node-9',
        interval: 3600,
        managementUrl: 'http://127.0.0.1:9/management/',
        hasChanges: false,
      },
      false,
    );
    await page.getByRole('button', { name: /newer/ }).waitFor();
    assert.equal(await page.getByRole('main').getByText('node-9').count(), 0);
    await page.getByRole('button', { name: /newer/ }).click();
    await page.getByRole('main').getByText('node-9').first().waitFor();
    stage.dashboard.dashboard.registry.forget('later', 'node-9');
    await page.getByRole('button', { name: 'Paused' }).click();
  });

  it('keeps time range and group from page to page', async () => {
    await open('/', 'Is everything up?');
    await page.getByLabel('Time range').selectOption('3h');
    await page.getByLabel('Group').selectOption('default');
    await page.getByRole('link', { name: 'By artifact' }).click();
    await page.waitForURL(/\/traffic\?(?=.*range=3h)(?=.*group=default)/);
    await page.getByRole('cell', { name: 'api:Orders' }).waitFor();
  });

  it('shuts a node down only after its name was typed, and restarts it after a click', async () => {
    await open('/nodes/default/node-1', 'Against its group');
    await page.getByRole('button', { name: 'Shut down' }).click();
    const dialog = page.getByRole('dialog', { name: 'Shut down' });
    await dialog.getByText('requests in the last hour, through api:Orders').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Shut down' }).isDisabled(), true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Restart' }).click();
    await page.getByRole('dialog', { name: 'Restart' }).getByRole('button', { name: 'Restart' }).click();
    await page.getByText('It was told').waitFor();
    assert.ok(stage.runtimes[0]?.calls.includes('PATCH server'));
  });

  it('drags and zooms a flow, and shows the whole again', async () => {
    await open('/artifacts/default/api/Orders?tab=flow', 'payloadFactory');
    const picture = page.locator('.flow svg > g');
    const before = await picture.getAttribute('transform');
    const frame = await page.locator('.flow').boundingBox();
    assert.ok(frame);
    await page.mouse.move(frame.x + 20, frame.y + frame.height - 60);
    await page.mouse.down();
    await page.mouse.move(frame.x + 120, frame.y + frame.height - 20, { steps: 4 });
    await page.mouse.up();
    assert.notEqual(await picture.getAttribute('transform'), before);
    await page.getByRole('button', { name: 'Larger' }).click();
    await page.getByRole('button', { name: 'Fit' }).click();
    assert.equal(await picture.getAttribute('transform'), before);
  });

  it('looks around one artifact in the graph, then goes there', async () => {
    await open('/dependencies', '3 artifacts, 2 uses');
    await page.getByRole('link', { name: /Stock/ }).click();
    await page.waitForURL(/of=endpoint/);
    await page.getByText('2 artifacts, 1 uses').waitFor();
    await page.getByRole('link', { name: /Stock/ }).click();
    await page.waitForURL(/\/artifacts\/default\/endpoint\/Stock/);
  });

  it('adds a user to a store of another domain', async () => {
    await open('/access', 'ada');
    await page.getByLabel('Name of the new user').fill('grace');
    await page.getByLabel('Password of the new user').fill('secret-of-grace');
    await page.getByLabel('Domain of the new user').fill('PARTNERS');
    const [request] = await Promise.all([
      page.waitForRequest((each) => each.method() === 'POST' && each.url().endsWith('/users')),
      page.getByRole('button', { name: 'Add user' }).click(),
    ]);
    assert.deepEqual(request.postDataJSON(), {
      userId: 'grace',
      domain: 'PARTNERS',
      password: 'secret-of-grace',
      isAdmin: false,
    });
    await eventually(() => stage.runtimes[0]?.calls.includes('POST users'));
    await page.getByRole('button', { name: 'PARTNERS/lin', exact: true }).click();
    await page.getByRole('dialog', { name: 'User PARTNERS/lin' }).getByLabel('PARTNERS').waitFor();
    await page.keyboard.press('Escape');
  });

  it('gives a role to a user', async () => {
    await open('/access', 'ada');
    await page.getByRole('button', { name: 'ada', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'User ada' });
    await dialog.getByLabel('operator').click();
    await eventually(() => stage.runtimes[0]?.calls.includes('PUT roles'));
    assert.deepEqual(await complaintsOf(page), []);
    await page.keyboard.press('Escape');
  });

  it('signs out', async () => {
    await open('/', 'Is everything up?');
    await page.locator('.menu:not(.scope) summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    assert.deepEqual(await complaintsOf(page), []);
  });
});
