// `npm run check`: format, lint, types, layers, generated files, notices. Everything that a commit must pass besides tests.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { ensureInstalled, findNode, projectRoot } from './toolchain.mjs';

ensureInstalled();
const node = findNode();
const bin = (name) => join(projectRoot, 'node_modules', '.bin', name);
/** @type {readonly (readonly [string, string[]])[]} */
const steps = [
  ['format', [bin('oxfmt'), '--check', '.']],
  ['lint', [bin('oxlint'), '--type-aware', '--deny-warnings', '.']],
  ['types', [bin('tsc'), '-p', '.']],
  ['types of the console', [bin('tsc'), '-p', 'web']],
  ['layers', ['tools/layers.ts']],
  ['dependencies', ['tools/dependencies.ts']],
  ['generated files', ['tools/generate.ts', '--check']],
];
const failed = [];
for (const [name, args] of steps) {
  const started = performance.now();
  const run = spawnSync(node, args, { cwd: projectRoot, encoding: 'utf8' });
  const ok = run.status === 0;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  if (!ok) {
    failed.push(name);
    console.log(`${run.stdout ?? ''}${run.stderr ?? ''}`.trimEnd());
  }
}
if (failed.length > 0) {
  console.error(`check failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
