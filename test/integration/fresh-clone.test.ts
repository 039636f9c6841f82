import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { isInside } from '#core';
import { freeOffset, freePort } from '../helpers/free-port.ts';
import { startProgram, waitForOutput } from '../helpers/program.ts';
import { removeFolder } from '../helpers/temporary-files.ts';

const root = dirname(dirname(import.meta.dirname));
const isWanted = process.env['CI'] !== undefined || process.env['MILLRACE_FRESH_CLONE'] === '1';
const skip = !isWanted && 'installs packages from the network; set MILLRACE_FRESH_CLONE=1 to run it';

/** Long enough for a slow network; nothing is said about how long it takes. */
const installWait = 240_000;
const startWait = 60_000;

test(
  'npm start works on a fresh clone, and the second time without a network',
  { skip, timeout: 400_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-clone-'));
    try {
      const clone = join(folder, 'millrace');
      execFileSync('git', ['clone', '--quiet', root, clone], { stdio: 'pipe' });
      const ports = { QUICKSTART_BACKEND_PORT: String(await freePort()) };
      await startAndAsk(clone, ports, installWait);
      const nobody = `http://127.0.0.1:${await freePort()}`;
      await startAndAsk(clone, { ...ports, npm_config_registry: nobody }, startWait);
    } finally {
      removeFolder(folder);
    }
  },
);

/** `npm start` in `clone` as a person would, until the requests that it prints are answered. */
async function startAndAsk(clone: string, environment: NodeJS.ProcessEnv, milliseconds: number): Promise<void> {
  const offset = await freeOffset();
  const env = { ...personalEnvironment(), ...environment };
  const program = startProgram('npm', ['start', '--', '--offset', String(offset)], { cwd: clone, env });
  try {
    const output = await waitForOutput(program, /Ctrl\+C/, milliseconds);
    const urls = [...output.matchAll(/curl (\S+)/g)].map((match) => match[1] ?? '');
    assert.ok(urls.length > 0, output);
    for (const url of urls) assert.equal((await fetch(url)).status, 200, url);
  } finally {
    await program.stop();
    // npm may end before what it started, which still has the ports and the home.
    await program.silent();
  }
}

/** The environment without what npm and this repository's own Node added for this test run. */
function personalEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => {
    const isOfRun = name.startsWith('npm_') && !['npm_config_registry', 'npm_config_cache'].includes(name);
    return !isOfRun && !['INIT_CWD', 'NODE', 'NODE_TEST_CONTEXT', 'NODE_OPTIONS', 'MILLRACE_HOME'].includes(name);
  });
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((place) => !isInside(root, place));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}
