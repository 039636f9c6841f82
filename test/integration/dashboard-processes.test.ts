import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { it } from 'node:test';
import { startProgram, type Program } from '../helpers/program.ts';
import { freePorts } from '../helpers/temporary-server.ts';
import { account, startTestDashboard } from '../helpers/test-dashboard.ts';

const main = join(import.meta.dirname, '../../src/cli/main.ts');

it('three runtimes are seen; one that is killed and one that stands still are lost, and come back', async () => {
  const homes = mkdtempSync(join(tmpdir(), 'millrace-nodes-'));
  await using dashboard = await startTestDashboard({ toml: '[millrace]\ntrust_unknown_nodes = true\n' });
  const { registry } = dashboard.dashboard;
  const start = (node: string): Program => {
    const home = join(homes, node);
    mkdirSync(join(home, 'conf'), { recursive: true });
    const own = `[super_admin]\nusername = "${account.username}"\npassword = "${account.password}"
[dashboard_config]\ndashboard_url = "${dashboard.url}/dashboard/api/"\nheartbeat_interval = 1\nnode_id = "${node}"\n`;
    writeFileSync(join(home, 'conf/deployment.toml'), `${freePorts}${own}`);
    return startProgram(process.execPath, [main, 'start', '--home', home], { env: { PATH: process.env['PATH'] } });
  };
  const programs = new Map(['one', 'two', 'three'].map((node) => [node, start(node)]));
  const states = (): string =>
    registry
      .nodes()
      .map(
        (node) =>
          `${node.id} ${registry.health(node)} ${node.readAt === undefined ? (node.problem ?? 'unread') : 'read'}`,
      )
      .join(', ');
  const wait = async (wanted: string): Promise<void> => {
    const end = performance.now() + 60_000;
    while (states() !== wanted) {
      if (performance.now() > end) {
        assert.equal(states(), wanted, [...programs.values()].map((program) => program.output()).join('\n'));
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  try {
    await wait('one healthy read, three healthy read, two healthy read');
    await programs.get('two')?.stop('SIGKILL');
    process.kill(programs.get('three')?.pid ?? 0, 'SIGSTOP');
    await wait('one healthy read, three lost read, two lost read');
    process.kill(programs.get('three')?.pid ?? 0, 'SIGCONT');
    programs.set('two', start('two'));
    await wait('one healthy read, three healthy read, two healthy read');
  } finally {
    await Promise.all([...programs.values()].map((program) => program.stop('SIGKILL')));
    rmSync(homes, { recursive: true, force: true });
  }
});
