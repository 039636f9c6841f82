import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { after, before, test } from 'node:test';
import { startBackend } from '../../samples/quickstart/backend.ts';
import { ask } from '../effects/effect-server.ts';
import { freeOffset, freePort } from '../helpers/free-port.ts';
import { startProgram, waitForAnswer, waitForOutput, type Program } from '../helpers/program.ts';
import { copyQuickstart } from '../helpers/quickstart-project.ts';
import { removeFolder } from '../helpers/temporary-files.ts';

const root = dirname(dirname(import.meta.dirname));
const millrace = join(root, 'bin/millrace');
const wait = { milliseconds: 30_000 };

let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-quickstart-'));
});
after(() => removeFolder(folder));

test('millrace run serves the quickstart as a project folder', { timeout: 240_000 }, async () => {
  const backend = await startBackend(0);
  const offset = await freeOffset();
  const project = copyQuickstart(folder, backend.port);
  const program = run(['run', project, '--offset', String(offset)], {});
  const api = `http://127.0.0.1:${8280 + offset}`;
  try {
    const order = await waitForAnswer(program, `${api}/order/1001`, wait);
    assert.equal(((await order.json()) as { customer: string }).customer, 'Ada');

    assert.equal((await fetch(`${api}/order/9999`)).status, 404);

    const entry = await fetch(`${api}/dictionary/m/millrace`);
    assert.match(entry.headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual(await entry.json(), {
      entry: 'millrace',
      letter: 'm',
      first: 'the channel that carries water to a mill wheel',
      meanings: ['the channel that carries water to a mill wheel', 'the current that drives the wheel'],
    });

    const unknown = await fetch(`${api}/dictionary/m/unknown`);
    assert.equal(unknown.status, 404);
    assert.deepEqual(await unknown.json(), { error: 'There is no word "unknown" below the letter "m".' });

    await backend.close();
    const failed = await fetch(`${api}/order/1001`);
    assert.equal(failed.status, 502);
    assert.equal(((await failed.json()) as { error: string }).error, 'The back end did not answer.');
  } finally {
    assert.equal(await program.stop(), 0, program.output());
  }
});

test('millrace quickstart makes a home, says where everything is and stops cleanly', { timeout: 240_000 }, async () => {
  const home = join(folder, 'home');
  const { output, backendPort, dashboard } = await quickstart(home);
  const password = join(home, 'conf/security/initial-admin');
  assert.equal(statSync(password).mode & 0o777, 0o600);
  assert.ok(output.includes(`in ${password}`), output);
  assert.ok(output.includes(`${dashboard} (sign in`), output);
  assert.ok(
    !output.includes(readFileSync(password, 'utf8').split(':')[1]?.trim() ?? '?'),
    'the password is in the log',
  );
  const endpoint = join(home, 'artifacts/endpoints/OrderBackend.xml');
  assert.ok(readFileSync(endpoint, 'utf8').includes(`127.0.0.1:${backendPort}`));

  const edited = readFileSync(endpoint, 'utf8').replace('5000', '6000');
  writeFileSync(endpoint, edited);
  await quickstart(home, backendPort);
  assert.equal(readFileSync(endpoint, 'utf8'), edited, 'a second start keeps what was edited');
  assert.ok(existsSync(join(home, 'conf/deployment.toml')));
});

/** Starts the quickstart over `home`, sends the requests that it prints, stops it. */
async function quickstart(
  home: string,
  port?: number,
): Promise<{ readonly output: string; readonly backendPort: number; readonly dashboard: string }> {
  const [offset, backendPort] = [await freeOffset(), port ?? (await freePort())];
  const dashboard = `https://localhost:${9743 + offset}`;
  const environment = { MILLRACE_HOME: home, QUICKSTART_BACKEND_PORT: String(backendPort) };
  const program = run(['quickstart', '--offset', String(offset)], environment);
  try {
    const output = await waitForOutput(program, /Ctrl\+C/, wait.milliseconds);
    const urls = [...output.matchAll(/curl (\S+)/g)].map((match) => match[1] ?? '');
    assert.equal(urls.length, 2, program.output());
    for (const url of urls) assert.equal((await fetch(url)).status, 200, url);
    await waitForOutput(program, /Dashboard is open/, wait.milliseconds);
    const page = await ask(`${dashboard}/`);
    assert.ok(typeof page !== 'string', `${dashboard}: ${JSON.stringify(page)}`);
  } finally {
    assert.equal(await program.stop(), 0, program.output());
  }
  return { output: program.output(), backendPort, dashboard };
}

function run(args: readonly string[], environment: NodeJS.ProcessEnv): Program {
  return startProgram(process.execPath, [millrace, ...args], { env: { ...process.env, ...environment } });
}
