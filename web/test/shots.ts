import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { configureLog } from '#core';
import { openBrowser, setStage } from '../../test/helpers/console-stage.ts';
import { setQuickstartStage } from '../../test/helpers/quickstart-stage.ts';

/** `node tools/with-node.mjs web/test/shots.ts [DIR [SCENE [PAGE…]]]`: pictures of every page, to be looked at. */
const [, , folder, onlyScene, ...onlyPages] = process.argv;
const out = folder ?? join(import.meta.dirname, '../../node_modules/.cache/millrace-shots');
const pages: Readonly<Record<string, string>> = {
  overview: '/',
  traffic: '/traffic',
  artifacts: '/artifacts',
  artifact: '/artifacts/default/api/Orders',
  flow: '/artifacts/default/api/Orders?tab=flow&at=api%3AOrders%2Fresource%3A0%2Fin%2F1',
  source: '/artifacts/default/api/Orders?tab=source',
  endpoint: '/artifacts/default/endpoint/Express',
  dependencies: '/dependencies',
  problems: '/problems',
  faulty: '/artifacts/default/application/Broken',
  deploy: '/deploy',
  traces: '/traces',
  trace: '/traces/default/node-1/3?step=1',
  messages: '/messages',
  store: '/messages?store=Pending&message=11',
  nodes: '/nodes',
  node: '/nodes/default/node-1',
  logs: '/logs?tab=levels',
  configuration: '/configuration',
  access: '/access',
  audit: '/audit',
};
/** The pages of each scene; the one of the quickstart is a real runtime, `small` has one that is lost. */
const scenes: Readonly<Record<'empty' | 'quickstart' | 'small' | 'groups' | 'large', readonly string[]>> = {
  empty: ['overview', 'artifacts', 'nodes'],
  quickstart: ['overview', 'traffic', 'artifacts', 'dependencies', 'nodes', 'logs', 'configuration', 'access', 'audit'],
  small: Object.keys(pages),
  groups: ['overview', 'traffic', 'artifacts', 'traces'],
  large: ['overview', 'artifacts', 'nodes'],
};
const sizes = [
  { name: 'wide', width: 1280, height: 800 },
  { name: 'phone', width: 390, height: 844 },
] as const;

configureLog({ level: 'silent', format: 'json' });
mkdirSync(out, { recursive: true });
const browser = await openBrowser();
for (const [scene, all] of Object.entries(scenes)) {
  if (onlyScene !== undefined && scene !== onlyScene) continue;
  const names = onlyPages.length > 0 ? onlyPages : all;
  await using stage = await open(scene as keyof typeof scenes);
  for (const size of sizes) {
    for (const theme of ['light', 'dark'] as const) {
      const page = await stage.page({ ...size, theme });
      for (const name of names) {
        await page.goto(stage.url + (pages[name] ?? '/'));
        await page.waitForSelector('main h1');
        await page.waitForTimeout(400);
        await page.screenshot({ path: join(out, `${scene}-${name}-${size.name}-${theme}.png`) });
      }
      await page.context().close();
    }
  }
}
await browser.close();
console.log(out);

/** Opens a scene; the quickstart gets some traffic. */
async function open(
  scene: keyof typeof scenes,
): Promise<AsyncDisposable & Pick<Awaited<ReturnType<typeof setQuickstartStage>>, 'url' | 'page'>> {
  if (scene === 'quickstart') {
    const quickstart = await setQuickstartStage(browser);
    for (let order = 0; order < 60; order++) await fetch(`${quickstart.api}/order/${1001 + (order % 3)}`);
    return quickstart;
  }
  const stage = await setStage(browser, scene);
  return {
    url: stage.dashboard.url,
    page: (options) => stage.page(options),
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}
