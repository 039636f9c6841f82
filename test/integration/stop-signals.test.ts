import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { startProgram, waitForOutput } from '../helpers/program.ts';
import { temporaryFolder } from '../helpers/temporary-files.ts';
import { freePorts } from '../helpers/temporary-server.ts';

const launcher = join(import.meta.dirname, '../../bin/millrace');

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} to a whole group, as a key press sends it, is one wish to stop`, { timeout: 240_000 }, async (t) => {
    const home = temporaryFolder(t, { 'conf/deployment.toml': freePorts });
    const program = startProgram(process.execPath, [launcher, 'start', '--home', home], {
      env: process.env,
      detached: true,
    });
    await waitForOutput(program, /"msg":"started"/, 30_000);
    assert.ok(existsSync(join(home, 'data/millrace.pid')));
    // The server gets it twice: from the system, and from its launcher.
    process.kill(-program.pid, signal);
    assert.equal(await program.ended(), 0);
    assert.match(program.output(), /"msg":"stopped"/);
    assert.ok(!existsSync(join(home, 'data/millrace.pid')));
    assert.ok(!existsSync(join(home, 'data/millrace.sqlite-wal')), 'the database was not closed');
  });
}
