// Answers of the console over 50 nodes with 1,000 artifacts each, with the CPU time that one costs: `node tools/with-node.mjs bench/dashboard.ts`
import process from 'node:process';
import { configureLog } from '#core';
import { manyArtifacts, startFakeRuntime } from '../test/helpers/fake-runtime.ts';
import { eventually, startTestDashboard } from '../test/helpers/test-dashboard.ts';

configureLog({ level: 'silent', format: 'json' });
await using dashboard = await startTestDashboard({ toml: '[millrace]\nheartbeat_secret = "s"\n' });
await using runtime = await startFakeRuntime({ artifacts: manyArtifacts(1000) });
for (let index = 0; index < 50; index++) {
  await runtime.beat(dashboard.url, { node: `node-${index}`, interval: 3600, secret: 's' });
}
const { registry } = dashboard.dashboard;
await eventually(() => (registry.nodes().every(({ artifacts }) => artifacts.length === 1000) ? true : undefined));
await dashboard.dashboard.rollups.collect();
await dashboard.signIn();
const calls = runtime.calls.length;
for (const path of [
  '/nodes',
  '/nodes/default/node-0',
  '/kinds',
  '/artifacts?limit=25',
  '/artifacts?q=001&sort=-name&limit=500',
  '/artifacts/default/api/api-0000',
  '/dependencies/default',
  '/rollups',
  '/history',
]) {
  const times: number[] = [];
  const cpu = process.cpuUsage();
  for (let turn = 0; turn < 300; turn++) {
    const began = performance.now();
    await (await dashboard.ask('GET', path)).text();
    times.push(performance.now() - began);
  }
  times.sort((left, right) => left - right);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  const { user, system } = process.cpuUsage(cpu);
  const each = ((user + system) / 1000 / times.length).toFixed(2);
  console.log(`${path.padEnd(40)} p50 ${at(0.5)} ms   p95 ${at(0.95)} ms   CPU ${each} ms`);
}
console.log(`calls to nodes meanwhile: ${runtime.calls.length - calls}`);
