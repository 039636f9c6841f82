import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { buildOnce } from '../../web/build.ts';
import { noBrowser, openBrowser, setStage, type Stage } from '../helpers/console-stage.ts';

const rules = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** What the rules of accessibility find on a page; the policy lets no script in, so they run from outside. */
async function complaintsOf(page: Page): Promise<string[]> {
  await page.evaluate(rules);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResult;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Paths of the pages, each with a text that is there when the page is. */
const pages: readonly (readonly [path: string, text: string])[] = [
  ['/', 'Is everything up?'],
  ['/traffic', 'api:Orders'],
  ['/artifacts', 'Orders'],
  ['/artifacts/endpoint', 'Express'],
  ['/artifacts/default/api/Orders', 'Copy link'],
  ['/artifacts/default/api/Orders?tab=flow', 'payloadFactory'],
  ['/artifacts/default/api/Orders?tab=source', 'uri-template'],
  ['/artifacts/default/api/Orders?tab=nodes', 'Content'],
  ['/artifacts/default/endpoint/Express', 'connection failed'],
  ['/dependencies', '3 artifacts, 2 uses'],
  ['/dependencies?of=endpoint%3AStock', 'The same as a list'],
  ['/traces', 'api:Orders'],
  ['/traces/default/node-1/3?step=1', 'Changed here'],
  ['/messages', 'Pending'],
  ['/messages?store=Pending', '{"id":7}'],
  ['/nodes', 'node-2'],
  ['/nodes/default/node-1', 'Start the correlation log'],
  ['/deploy', 'Nothing is sent before'],

  ['/logs', 'the last'],
  ['/logs?tab=levels', 'rootLogger'],
  ['/configuration', 'server.hostname'],
  ['/access', 'ada'],
  ['/access?tab=roles', 'Delete admin'],
  ['/access?tab=sso', 'client_id'],
  ['/nowhere', 'No such page'],
];

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
  });

  for (const theme of ['light', 'dark'] as const) {
    for (const [path, text] of pages) {
      it(`shows ${path} in ${theme} colours, open to everybody`, async () => {
        await page.evaluate(`localStorage.setItem('millrace.theme', '${theme}')`);
        await open(path, text);
        assert.deepEqual(await complaintsOf(page), []);
        assert.deepEqual(errors, []);
      });
    }
  }

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

  it('deactivates an endpoint after saying what that touches', async () => {
    await open('/artifacts/default/endpoint/Stock', 'active');
    await page.getByRole('button', { name: 'Deactivate endpoint' }).click();
    await page.getByText('are refused on 1 node').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate endpoint' }).click();
    await page.getByText('Done on 1 node.').waitFor();
    await page.getByText('inactive').first().waitFor();
  });

  it('signs out', async () => {
    await open('/', 'Is everything up?');
    await page.locator('.menu summary').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    assert.deepEqual(await complaintsOf(page), []);
  });
});

describe('the first useful page', () => {
  it('needs at most 200 kB of compressed script', async () => {
    const folder = await buildOnce();
    const index = readFileSync(join(folder, 'index.html'), 'utf8');
    const entry = /src="\/assets\/([^"]+)"/.exec(index)?.[1] ?? '';
    const needed = new Set<string>();
    const collect = (name: string): void => {
      if (needed.has(name)) return;
      needed.add(name);
      const text = readFileSync(join(folder, 'assets', name), 'utf8');
      for (const match of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) collect(match[1] ?? '');
    };
    collect(entry);
    const size = [...needed].reduce((sum, name) => sum + statSync(join(folder, 'assets', `${name}.gz`)).size, 0);
    assert.ok(size <= 200_000, `${size} bytes in ${[...needed].join(', ')}`);
    const all = globSync('*.js', { cwd: join(folder, 'assets') });
    assert.ok(needed.size < all.length, 'pages other than the first one come later');
  });
});
