import { mkdtempSync, readFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import type { Browser, Page } from 'playwright-core';
import { buildOnce } from '../../web/build.ts';
import { freeOffset, freePort } from './free-port.ts';
import { startProgram, waitForAnswer, waitForOutput } from './program.ts';
import { signedInPage, type PageOptions } from './signed-in-page.ts';
import { removeFolder } from './temporary-files.ts';

const millrace = join(dirname(dirname(import.meta.dirname)), 'bin/millrace');
const patience = 30_000;

/** `millrace quickstart` as people start it: server, back end and dashboard in a process of their own. */
export interface QuickstartStage extends AsyncDisposable {
  /** The dashboard. */
  readonly url: string;
  /** Where the APIs are. */
  readonly api: string;
  readonly home: string;
  /** The name of its node in the dashboard. */
  readonly node: string;
  page(options?: PageOptions): Promise<Page>;
}

/** Starts it on free ports over a new home. */
export async function setQuickstartStage(browser: Browser): Promise<QuickstartStage> {
  await buildOnce();
  const home = mkdtempSync(join(tmpdir(), 'millrace-quickstart-'));
  const [offset, backend] = [await freeOffset(), await freePort()];
  const program = startProgram(process.execPath, [millrace, 'quickstart', '--offset', String(offset)], {
    env: {
      ...process.env,
      MILLRACE_HOME: home,
      QUICKSTART_BACKEND_PORT: String(backend),
      // Its certificate is its own.
      NODE_TLS_REJECT_UNAUTHORIZED: undefined,
    },
  });
  const stop = async (): Promise<void> => {
    await program.stop();
    removeFolder(home);
  };
  try {
    await waitForOutput(program, /Ctrl\+C/, patience);
    await waitForOutput(program, /Dashboard is open/, patience);
    const api = `http://127.0.0.1:${8280 + offset}`;
    await waitForAnswer(program, `${api}/order/1001`, { milliseconds: patience });
    const [username = '', password = ''] = readFileSync(join(home, 'conf/security/initial-admin'), 'utf8')
      .trim()
      .split(/:(.*)/s);
    const url = `https://localhost:${9743 + offset}`;
    return {
      url,
      api,
      home,
      node: hostname(),
      page: (options) => signedInPage(browser, { url, username, password }, options),
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
