import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { configureLog } from '#core';
import { complaintsOf, goTo, settled, shiftsOf, watchPages } from '../helpers/console-rules.ts';
import { noBrowser, openBrowser, setStage } from '../helpers/console-stage.ts';
import { setQuickstartStage } from '../helpers/quickstart-stage.ts';
import type { PageOptions } from '../helpers/signed-in-page.ts';

interface Scene extends AsyncDisposable {
  page(options?: PageOptions): Promise<Page>;
}

/** Sends the quickstart some traffic and traces it, so that its pages have something to show. */
async function busyQuickstart(browser: Browser): Promise<Scene> {
  const stage = await setQuickstartStage(browser);
  try {
    const page = await stage.page();
    await page.evaluate(`history.pushState(null, '', '/artifacts/default/api/Dictionary?tab=flow');
      dispatchEvent(new PopStateEvent('popstate'))`);
    await page.getByRole('button', { name: 'Trace the next 20' }).click();
    await page.getByText('are traced on each node').waitFor();
    for (const path of ['/dictionary/m/millrace', '/dictionary/m/unknown', '/order/1001', '/order/9999']) {
      await (await fetch(stage.api + path)).text();
    }
    await page.context().close();
  } catch (error) {
    await stage[Symbol.asyncDispose]();
    throw error;
  }
  return stage;
}

const scenes: Readonly<Record<'empty' | 'quickstart' | 'small' | 'large', (browser: Browser) => Promise<Scene>>> = {
  empty: (browser) => setStage(browser, 'empty'),
  quickstart: busyQuickstart,
  small: (browser) => setStage(browser, 'small'),
  large: (browser) => setStage(browser, 'large'),
};

type Texts = Partial<Record<keyof typeof scenes, string>>;

const noNode = 'No runtime can be asked';
const noReport = 'No runtime reports here';
const own = encodeURIComponent(hostname());

/** Paths of the pages, each with a text that is there when the page is, by what runs. */
const pages: Readonly<Record<string, Texts>> = {
  '/': { empty: noReport, quickstart: 'Is everything up?', small: 'Error connecting', large: 'Is everything up?' },
  '/traffic': { empty: noReport, quickstart: 'api:Dictionary', large: 'By artifact' },
  '/artifacts': { empty: 'Nothing is deployed', quickstart: 'BackendUnavailable', large: 'api-0000' },
  '/artifacts/endpoint': { empty: 'Nothing is deployed', quickstart: 'OrderBackend', large: 'endpoint-0001' },
  '/artifacts/inboundEndpoint': { empty: 'Nothing is deployed', quickstart: 'Nothing fits', large: 'Nothing fits' },
  '/artifacts/default/api/api-0000': { empty: 'No node of default', large: 'Used by' },
  '/artifacts/default/api/Dictionary': { quickstart: 'Used by' },
  '/artifacts/default/api/Dictionary?tab=flow': { quickstart: 'payloadFactory' },
  '/artifacts/default/api/Dictionary?tab=flow&at=api%3ADictionary%2Fresource%3A0%2Fin%2F1': {
    quickstart: 'Last traces',
  },
  '/artifacts/default/api/Dictionary?tab=flow&as=outline': { quickstart: 'DictionaryBackend' },
  '/artifacts/default/api/Dictionary?tab=source&line=6&to=9': { quickstart: 'inSequence' },
  '/artifacts/default/api/Dictionary?tab=nodes': { quickstart: 'Content' },
  '/artifacts/default/api/Orders?tab=flow': { small: 'payloadFactory' },
  '/artifacts/default/endpoint/OrderBackend': { quickstart: 'active' },
  '/artifacts/default/endpoint/Express': { small: 'connection failed' },
  '/problems': { empty: 'is sound', quickstart: 'is sound', small: 'Did you mean', large: 'Did you mean' },
  '/artifacts/default/application/Broken': { small: 'Why it is faulty' },
  '/deploy': { empty: noNode, quickstart: 'Nothing is sent before', large: 'Nothing is sent before' },
  '/dependencies': { empty: noReport, quickstart: 'The same as a list', large: 'No artifact of default' },
  '/dependencies?of=endpoint%3AOrderBackend': { quickstart: 'The same as a list' },
  '/traces': { empty: 'Nothing was traced yet', quickstart: 'api:Dictionary', large: 'api:Orders' },
  [`/traces/default/${own}/1?step=1`]: { quickstart: 'Changed here' },
  '/traces/default/node-1/3?step=1': { small: 'Changed here' },
  '/messages': { empty: noNode, quickstart: 'No message store', small: 'Pending', large: 'Pending' },
  '/messages?store=Pending&message=11': { small: 'default:lane' },
  '/nodes': { empty: noReport, quickstart: hostname(), small: 'node-2', large: 'node-50' },
  [`/nodes/default/${own}`]: { quickstart: 'Start the correlation log' },
  '/nodes/default/node-1': { empty: 'has reported', large: 'Start the correlation log' },
  '/logs': { empty: noNode, quickstart: 'API HTTP is open', small: 'the last', large: 'the last' },
  '/logs?tab=levels': { empty: noNode, quickstart: 'rootLogger', large: 'rootLogger' },
  '/configuration': { empty: noNode, quickstart: 'keys honoured', large: 'server.hostname' },
  '/configuration?key=server.offset': { quickstart: 'server.offset' },
  '/access': { empty: noNode, quickstart: 'admin', small: 'ada', large: 'ada' },
  '/access?tab=roles': { quickstart: 'admin', small: 'Delete admin' },
  '/access?tab=sso': { quickstart: 'client_id' },
  '/audit': { empty: 'login', quickstart: 'login', large: 'login' },
  '/nowhere': { empty: 'No such page', quickstart: 'No such page' },
};

/** A page whose parts move more than this on their own lets people click what they did not mean. */
const mostShift = 0.05;
const sizes = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;
/** Rules of accessibility run at both sizes and in both themes, once for each page and theme. */
const views = [
  { theme: 'light', first: 'wide', second: 'phone' },
  { theme: 'dark', first: 'phone', second: 'wide' },
] as const;

for (const [name, start] of Object.entries(scenes)) {
  describe(`every page, ${name}`, { skip: noBrowser }, () => {
    const opened = new Map<string, Page>();
    const errors: string[] = [];
    let browser: Browser;
    let scene: Scene;

    before(async () => {
      configureLog({ level: 'silent', format: 'json' });
      browser = await openBrowser();
      scene = await start(browser);
      for (const { theme } of views) {
        const page = await scene.page({ ...sizes.wide, theme });
        await watchPages(page);
        await page.reload();
        await page.waitForSelector('.rail');
        page.on('pageerror', (error) => errors.push(error.message));
        opened.set(theme, page);
      }
    });
    after(async () => {
      await browser.close();
      await scene[Symbol.asyncDispose]();
    });

    const look = async (path: string, text: string, view: (typeof views)[number]): Promise<void> => {
      const page = opened.get(view.theme);
      assert.ok(page);
      await page.setViewportSize(sizes[view.first]);
      await goTo(page, path);
      await page.locator('main').getByText(text).first().waitFor();
      await settled(page);
      const { sum, moved } = await shiftsOf(page);
      assert.ok(sum <= mostShift, `${view.theme} ${view.first}: it moved by ${sum.toFixed(3)}: ${moved.join('; ')}`);
      assert.deepEqual(await complaintsOf(page), [], view.theme);
      for (const size of [view.first, view.second]) {
        await page.setViewportSize(sizes[size]);
        const width: unknown = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        assert.ok(Number(width) <= 0, `${size}: it is ${String(width)} pixels wider than the screen`);
      }
    };

    for (const [path, texts] of Object.entries(pages)) {
      const text = texts[name as keyof typeof scenes];
      if (text === undefined) continue;
      it(`${path} is open to everybody in both themes and sizes, and stands still`, async () => {
        await Promise.all(views.map((view) => look(path, text, view)));
        assert.deepEqual(errors, []);
      });
    }
  });
}
