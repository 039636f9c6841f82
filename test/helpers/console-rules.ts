import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const rules = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** What the rules of accessibility find on a page; the policy lets no script in, so they run from outside. */
export async function complaintsOf(page: Page): Promise<string[]> {
  await page.evaluate(rules);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResult;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 300)).join(' ')}`);
}

/** Notes from the beginning of each page how far its parts move without anybody's doing. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.hadRecentInput) continue;
        const moved = entry.sources.map(({ node }) => node?.nodeName + '.' + (node?.className ?? ''));
        window.shifts.push([entry.value, moved.join(' ')]);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  `);
}

/** The sum of the shifts of a page, and what moved. */
export async function shiftsOf(page: Page): Promise<{ readonly sum: number; readonly moved: readonly string[] }> {
  const shifts = (await page.evaluate('window.shifts')) as readonly (readonly [number, string])[];
  return { sum: shifts.reduce((total, [value]) => total + value, 0), moved: shifts.map(([, what]) => what) };
}
