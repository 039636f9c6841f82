import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const found = places.find((place) => existsSync(place));

/** Why tests in a real browser are skipped; false when there is one. */
export const noChromium = found === undefined ? `none of ${places.join(', ')} is installed` : false;

/** Starts the machine's Chromium without a screen. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: found ?? '',
    timeout: 120_000,
    // Without a sandbox it also runs as root in a container; it opens our own pages alone.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}
