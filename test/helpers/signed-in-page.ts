import type { Browser, Page } from 'playwright-core';

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
}

/** A page of the console in a context of its own, signed in; nobody minds the certificate. */
export async function signedInPage(
  browser: Browser,
  site: { readonly url: string; readonly username: string; readonly password: string },
  { width = 1280, height = 800, theme = 'light' }: PageOptions = {},
): Promise<Page> {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    viewport: { width, height },
    colorScheme: theme,
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.goto(site.url);
  await page.fill('input[name=username]', site.username);
  await page.fill('input[name=password]', site.password);
  await page.click('button.primary');
  await page.waitForSelector('.rail');
  return page;
}
