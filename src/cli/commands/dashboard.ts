import { existsSync } from 'node:fs';
import process from 'node:process';
import { defineCommand } from 'citty';
import { createHome, getLogger } from '#core';
import { loadConfig, loadHomeConfig, usableConfig } from '#config';
import { formatProblem } from '#errors';
import { startDashboard } from '#server';
import { hiddenPrompt } from '../hidden-prompt.ts';
import { offsetOf } from '../options.ts';
import { setUpLog } from '../serve.ts';
import { stopSignal } from '../signals.ts';

const log = getLogger('dashboard');

/** `millrace dashboard`: the dashboard alone, over a home with its own `conf/deployment.toml`. */
export const dashboardCommand = defineCommand({
  meta: {
    name: 'dashboard',
    description: 'Start the dashboard alone.\n\nExample: millrace dashboard --home /var/lib/millrace-dashboard',
  },
  args: {
    home: { type: 'string', description: 'Home directory (MILLRACE_HOME, else the current directory)' },
    offset: { type: 'string', description: 'Number that is added to the port' },
    'log-level': { type: 'string', description: 'trace, debug, info, warn, error or silent' },
  },
  async run({ args }) {
    setUpLog(args['log-level']);
    const offset = offsetOf(args.offset);
    const stopped = stopSignal();
    const home = createHome(args.home ?? process.env['MILLRACE_HOME'] ?? process.cwd());
    const options = {
      catalog: 'dashboard',
      env: process.env,
      systemProperties: { 'carbon.home': home.directory },
    } as const;
    const loaded = existsSync(home.configuration)
      ? await loadHomeConfig({ ...options, home: home.directory, prompt: hiddenPrompt })
      : loadConfig({ ...options, text: '', file: home.configuration });
    for (const problem of loaded.problems) {
      if (problem.severity === 'warning') log.warn({ code: problem.code }, formatProblem(problem));
    }
    await using server = await startDashboard({ home, config: usableConfig(loaded), offset });
    log.info({ url: server.url }, 'the dashboard is open');
    await stopped;
  },
});
