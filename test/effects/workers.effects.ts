import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { startProgram, waitForOutput } from '../helpers/program.ts';
import type { EffectRow } from './effect-row.ts';
import { ask, ports } from './effect-server.ts';

const launcher = join(import.meta.dirname, '../../bin/millrace');

/** How many workers the metrics of a server count that was started with this configuration. */
async function countedWorkers(text: string): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'millrace-effects-'));
  mkdirSync(join(home, 'conf'));
  writeFileSync(join(home, 'conf/deployment.toml'), text);
  const program = startProgram(process.execPath, [launcher, 'start', '--home', home], {
    env: { PATH: process.env['PATH'], HOME: home },
  });
  try {
    const output = await waitForOutput(program, /"started"/, 30_000);
    const line = output.split('\n').find((candidate) => candidate.includes('Probes and metrics is open')) ?? '{}';
    const { url } = JSON.parse(line) as { url?: string };
    const answer = await ask(`${url}/metric-service/metrics`);
    const metrics = typeof answer === 'string' ? answer : answer.body;
    return /^millrace_workers (\d+)$/m.exec(metrics)?.[1] ?? 'one process';
  } finally {
    await program.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Processes that serve on the same ports. */
export const rows: readonly EffectRow[] = [
  {
    key: 'millrace.workers',
    given: ports,
    first: 1,
    second: 2,
    observe: (_, text) => countedWorkers(text),
  },
];
