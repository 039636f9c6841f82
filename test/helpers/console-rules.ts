import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const rules = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** What the rules of accessibility find on a page; the policy lets no script in, so they run from outside. */
export async function complaintsOf(page: Page): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(rules);
  const { violations } = (await page.evaluate(`axe.run({ resultTypes: ['violations'], preload: false })`)) as AxeResult;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 300)).join(' ')}`);
}

/** Notes how far parts of the pages move without anybody's doing, and what they still ask the dashboard for. */
export async function watchPages(page: Page): Promise<void> {
  await page.addInitScript(`
    window.shifts = [];
    window.asking = 0;
    const { fetch } = window;
    window.fetch = (...options) => {
      window.asking++;
      return fetch(...options).finally(() => window.asking--);
    };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.hadRecentInput) continue;
        const moved = entry.sources.map(({ node }) => node?.nodeName + '.' + (node?.className ?? ''));
        window.shifts.push([entry.value, moved.join(' ')]);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  `);
}

/** Nothing is asked for, and what came was drawn, if this holds for so many frames one after the other. */
const calmFrames = 6;

/** Waits until a page has all that it asked for, and shows it. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(`new Promise((done) => {
    let calm = 0;
    const look = () => {
      calm = window.asking === 0 ? calm + 1 : 0;
      if (calm >= ${calmFrames}) done();
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/** Goes to a page of the console as its links do, from an empty one, so that what moves afterwards moved by itself. */
export async function goTo(page: Page, path: string): Promise<void> {
  for (const place of ['/nowhere/at/all', path]) {
    await page.evaluate(`
      history.pushState(null, '', ${JSON.stringify(place)});
      dispatchEvent(new PopStateEvent('popstate'));`);
    if (place !== path) await settled(page);
    await page.evaluate('window.shifts = []');
  }
}

/** The sum of the shifts of a page, and what moved. */
export async function shiftsOf(page: Page): Promise<{ readonly sum: number; readonly moved: readonly string[] }> {
  const shifts = (await page.evaluate('window.shifts')) as readonly (readonly [number, string])[];
  return { sum: shifts.reduce((total, [value]) => total + value, 0), moved: shifts.map(([, what]) => what) };
}
