import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import process from 'node:process';
import { join } from 'node:path';
import { defineModule, getLogger } from '#core';
import { dashboardConfig, loadHomeConfig, usableConfig } from '#config';
import { formatProblem, toError } from '#errors';
import type { ServerContext } from '../context.ts';
import { openLocalAccount } from '../local-account.ts';

const log = getLogger('dashboard');

/** Milliseconds after which the dashboard opens, so that the start of the runtime does not wait for it. */
const headStart = 300;
/** Seconds between the reports of this server to its own dashboard. */
const ownInterval = 5;

/** The dashboard beside the runtime, in a home that has `conf/dashboard.toml`. It is loaded after the start. */
export const dashboard = defineModule<ServerContext>({
  name: 'dashboard',
  roles: ['default', 'control-plane'],
  needs: ['management'],
  start(context) {
    const file = join(context.home.conf, 'dashboard.toml');
    // One process of a node has the port.
    if (!existsSync(file) || !context.node.isFirst) return;
    let opening: Promise<AsyncDisposable | undefined> | undefined;
    const timer = setTimeout(() => {
      opening = open(context, file).catch((error: unknown) => {
        // A runtime serves without its dashboard.
        log.error({ err: toError(error) }, 'the dashboard was not opened');
        return undefined;
      });
    }, headStart);
    timer.unref();
    return {
      async [Symbol.asyncDispose]() {
        clearTimeout(timer);
        await (await opening)?.[Symbol.asyncDispose]();
      },
    };
  },
});

async function open(context: ServerContext, file: string): Promise<AsyncDisposable> {
  const { home, settings, config, deployer } = context;
  const [{ startDashboard }, loaded] = await Promise.all([
    import('../dashboard-server.ts'),
    loadHomeConfig({ home: home.directory, file, catalog: 'dashboard', env: process.env }),
  ]);
  for (const problem of loaded.problems) {
    if (problem.severity === 'warning') log.warn({ code: problem.code }, formatProblem(problem));
  }
  const server = await startDashboard({
    home,
    config: usableConfig(loaded),
    offset: settings.commandOffset,
    hosts: settings.management.hosts,
    account: openLocalAccount(home),
    ...(context.auditFile && { auditSink: context.auditFile }),
  });
  log.info({ url: server.url }, 'Dashboard is open');
  const url = context.addresses.find(({ name }) => name === 'Management')?.url;
  const node = { id: config.get(dashboardConfig.nodeId) ?? hostname(), group: config.get(dashboardConfig.groupId) };
  let world = -1;
  const report = (): void => {
    if (url === undefined) return;
    const { number } = deployer.current;
    server.dashboard.reader.beat(
      {
        product: 'mi',
        group: node.group,
        node: node.id,
        interval: ownInterval,
        managementUrl: `${url}/management/`,
        hasChanges: number !== world,
      },
      true,
    );
    world = number;
  };
  report();
  const timer = setInterval(report, ownInterval * 1000);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await server[Symbol.asyncDispose]();
    },
  };
}
