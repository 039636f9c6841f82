import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { systemClock } from '#core';
import { buildOnce } from '../../web/build.ts';
import { manyArtifacts, startFakeRuntime, type FakeRuntime } from './fake-runtime.ts';
import { signedInPage, type PageOptions } from './signed-in-page.ts';
import { answers, billing, countersOf, stageArtifacts } from './stage-answers.ts';
import { account, eventually, startTestDashboard, type TestDashboard } from './test-dashboard.ts';

const executable = '/usr/bin/chromium';

/** Why browsers cannot be driven here, or false. */
export const noBrowser = existsSync(executable) ? false : 'Chromium is not installed (Debian package chromium)';

/** Opens a browser without a screen that calls nobody by itself. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: executable,
    args: ['--headless', '--no-sandbox', '--disable-background-networking'],
  });
}

/** A dashboard over TLS with runtimes behind it, and a browser that is signed in. */
export interface Stage extends AsyncDisposable {
  readonly dashboard: TestDashboard;
  readonly runtimes: readonly FakeRuntime[];
  page(options?: PageOptions): Promise<Page>;
}

/** What runs behind the dashboard of a stage. */
export type SceneName = 'empty' | 'small' | 'groups' | 'large';

/**
 * @param scene `empty` has no runtime, `small` two of which one does not report any more, `groups` two in `east` and one
 *   in `west`, which runs something else, `large` 50 with 1,000 artifacts
 */
export async function setStage(browser: Browser, scene: SceneName): Promise<Stage> {
  // The certificate is nobody's: browser and runtimes are told not to mind.
  let minutesAgo = scene === 'empty' ? 0 : 45;
  const dashboard = await startTestDashboard({
    toml: '[millrace]\nheartbeat_secret = "s"\n',
    webFolder: buildOnce,
    isSecure: true,
    clock: { ...systemClock, now: () => Date.now() - minutesAgo * 60_000 },
  });
  const runtimes: FakeRuntime[] = [];
  const beat = (runtime: FakeRuntime, node: string, { group = 'default', interval = 3600 } = {}): void =>
    dashboard.dashboard.reader.beat(
      { product: 'mi', group, node, interval, managementUrl: runtime.managementUrl, hasChanges: false },
      true,
    );
  /** Lets the minutes up to now go by, and the dashboard look in each of them. */
  const pass = async (): Promise<void> => {
    for (; minutesAgo > 0; minutesAgo--) await dashboard.dashboard.rollups.collect();
    await dashboard.dashboard.rollups.collect();
  };
  if (scene === 'small') {
    for (const node of ['node-1', 'node-2']) {
      const runtime = await startFakeRuntime({ artifacts: stageArtifacts, answers });
      runtimes.push(runtime);
      beat(runtime, node);
    }
    await eventually(() => dashboard.dashboard.registry.find('default', 'node-1')?.artifacts.length || undefined);
    await pass();
    const [first, second] = runtimes;
    if (first) beat(first, 'node-1');
    if (second) beat(second, 'node-2', { interval: 0.5 });
    await eventually(() => dashboard.dashboard.registry.history.find(({ what }) => what === 'lost'));
  }
  if (scene === 'groups') {
    for (const node of ['east-1', 'east-2', 'west-1']) {
      const group = node.slice(0, 4);
      const isEast = group === 'east';
      const runtime = await startFakeRuntime({
        artifacts: isEast ? stageArtifacts : [billing],
        answers: isEast ? answers : { ...answers, 'millrace/counters': countersOf('api:Billing') },
      });
      runtimes.push(runtime);
      beat(runtime, node, { group });
    }
    await eventually(() => dashboard.dashboard.registry.nodes().every(({ readAt }) => readAt !== undefined));
    minutesAgo = 3;
    await pass();
  }
  if (scene === 'large') {
    const runtime = await startFakeRuntime({ artifacts: manyArtifacts(1000), answers });
    runtimes.push(runtime);
    for (let index = 1; index <= 50; index++) beat(runtime, `node-${index}`);
    await eventually(() =>
      dashboard.dashboard.registry.nodes().every(({ artifacts }) => artifacts.length > 0) ? true : undefined,
    );
    minutesAgo = 3;
    await pass();
    for (let index = 1; index <= 50; index++) beat(runtime, `node-${index}`);
  }
  return {
    dashboard,
    runtimes,
    page: (options) => signedInPage(browser, { url: dashboard.url, ...account }, options),
    async [Symbol.asyncDispose]() {
      await dashboard[Symbol.asyncDispose]();
      for (const runtime of runtimes) await runtime[Symbol.asyncDispose]();
    },
  };
}
