// `npm test [-- FILE…]`: unit tests in one process, then the tests that open ports or start programs, in their own processes.
import process from 'node:process';
import { ensureInstalled, projectRoot, runNode } from './toolchain.mjs';

ensureInstalled();
const wanted = process.argv.slice(2);
const reporter = process.stdout.isTTY ? [] : ['--test-reporter=spec'];
const common = ['--test', '--test-timeout=240000', ...reporter];
let code = 0;
if (wanted.length > 0) {
  code = await runNode([...common, ...wanted], { cwd: projectRoot });
} else {
  code = await runNode([...common, '--test-isolation=none', 'src/**/*.test.ts', 'test/unit/**/*.test.ts'], {
    cwd: projectRoot,
  });
  const rest = await runNode([...common, '--test-concurrency=2', 'test/integration/**/*.test.ts'], {
    cwd: projectRoot,
  });
  code ||= rest;
}
process.exitCode = code;
