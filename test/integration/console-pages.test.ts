import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { configureLog } from '#core';
import { complaintsOf, shiftsOf, watchShifts } from '../helpers/console-rules.ts';
import { noBrowser, openBrowser, setStage, type Stage } from '../helpers/console-stage.ts';

type Texts = Partial<Record<'empty' | 'small' | 'large', string>>;

const noNode = 'No runtime can be asked';
const noReport = 'No runtime reports here';

/** Paths of the pages, each with a text that is there when the page is, by what runs. */
const pages: Readonly<Record<string, Texts>> = {
  '/': { empty: noReport, small: 'Is everything up?', large: 'Is everything up?' },
  '/traffic': { empty: noReport, small: 'By artifact', large: 'By artifact' },
  '/artifacts': { empty: 'Nothing is deployed', small: 'Orders', large: 'api-0000' },
  '/artifacts/endpoint': { empty: 'Nothing is deployed', small: 'Express', large: 'endpoint-0001' },
  '/artifacts/default/api/Orders': { small: 'Used by' },
  '/artifacts/default/api/api-0000': { empty: 'No node of default', large: 'Used by' },
  '/artifacts/default/api/Orders?tab=flow': { small: 'payloadFactory' },
  '/artifacts/default/api/Orders?tab=flow&at=api%3AOrders%2Fresource%3A0%2Fin%2F1': { small: 'Last traces' },
  '/artifacts/default/api/Orders?tab=flow&as=outline': { small: 'note the order' },
  '/artifacts/default/api/Orders?tab=source&line=6&to=9': { small: 'uri-template' },
  '/artifacts/default/api/Orders?tab=nodes': { small: 'Content' },
  '/artifacts/default/endpoint/Express': { small: 'connection failed' },
  '/deploy': { empty: 'No runtime can be asked', small: 'Nothing is sent before', large: 'Nothing is sent before' },
  '/dependencies': { empty: noReport, small: '3 artifacts, 2 uses', large: 'No artifact of default' },
  '/dependencies?of=endpoint%3AStock': { small: 'The same as a list' },
  '/traces': { empty: noNode, small: 'api:Orders', large: 'api:Orders' },
  '/traces/default/node-1/3?step=1': { small: 'Changed here' },
  '/messages': { empty: noNode, small: 'Pending', large: 'Pending' },
  '/messages?store=Pending&message=11': { small: 'default:lane' },
  '/nodes': { empty: noReport, small: 'node-2', large: 'node-50' },
  '/nodes/default/node-1': {
    empty: 'has reported',
    small: 'Start the correlation log',
    large: 'Start the correlation log',
  },
  '/logs': { empty: noNode, small: 'the last', large: 'the last' },
  '/logs?tab=levels': { empty: noNode, small: 'rootLogger', large: 'rootLogger' },
  '/configuration': { empty: noNode, small: 'server.hostname', large: 'server.hostname' },
  '/configuration?key=server.offset': { small: 'Moves every port' },
  '/access': { empty: noNode, small: 'ada', large: 'ada' },
  '/access?tab=roles': { small: 'Delete admin' },
  '/access?tab=sso': { small: 'client_id' },
  '/nowhere': { empty: 'No such page', small: 'No such page' },
};

/** A page whose parts move more than this on their own lets people click what they did not mean. */
const mostShift = 0.05;

for (const scene of ['empty', 'small', 'large'] as const) {
  describe(
    `every page with ${scene === 'empty' ? 'no runtime' : scene === 'small' ? 'two runtimes' : '50 runtimes'}`,
    { skip: noBrowser },
    () => {
      let browser: Browser;
      let stage: Stage;
      const opened: Page[] = [];
      const errors: string[] = [];

      before(async () => {
        configureLog({ level: 'silent', format: 'json' });
        browser = await openBrowser();
        stage = await setStage(browser, scene);
        for (const size of [
          { width: 1280, height: 800 },
          { width: 390, height: 844 },
        ]) {
          const page = await stage.page(size);
          await watchShifts(page);
          page.on('pageerror', (error) => errors.push(error.message));
          opened.push(page);
        }
      });
      after(async () => {
        await browser.close();
        await stage[Symbol.asyncDispose]();
      });

      for (const [path, texts] of Object.entries(pages)) {
        const text = texts[scene];
        if (text === undefined) continue;
        it(`${path} is open to everybody in both themes and sizes, and stands still`, async () => {
          for (const page of opened) {
            await page.goto(stage.dashboard.url + path);
            await page.getByText(text).first().waitFor();
            // What comes late moves late.
            await page.waitForTimeout(400);
            const { sum, moved } = await shiftsOf(page);
            assert.ok(sum <= mostShift, `it moved by ${sum.toFixed(3)}: ${moved.join('; ')}`);
            // What is wrong with colours is wrong at every size.
            for (const theme of page === opened[0] ? ['light', 'dark'] : ['light']) {
              await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
              assert.deepEqual(await complaintsOf(page), [], theme);
            }
            const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
            assert.ok(Number(width) <= 0, `it is ${String(width)} pixels wider than the screen`);
          }
          assert.deepEqual(errors, []);
        });
      }
    },
  );
}
