import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, beforeEach, test, type TestContext } from 'node:test';
import { createAudit } from './audit.ts';
import { createLogFiles, type LogFiles } from './log-files.ts';
import { configureLog, getLogger } from './log.ts';
import { createTestClock, type TestClock } from './test-clock.ts';

const log = getLogger('test.files');
const limits = { size: 1_000_000, files: 3 };
let told: { level: string; msg: string; lines?: number }[] = [];

beforeEach(() => {
  told = [];
  const write = (line: string): void => void told.push(JSON.parse(line) as (typeof told)[number]);
  configureLog({ level: 'info', format: 'json', destination: { write } });
});
after(() => configureLog({ level: 'info', format: 'json' }));

function folderOf(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'millrace-logs-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return join(home, 'logs');
}

function open(folder: string, clock: TestClock = createTestClock(), rotates = true): LogFiles {
  return createLogFiles({ folder, rotates, clock });
}

/** The messages of a file. */
function messages(folder: string, name: string): string[] {
  const lines = readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
}

test('everything goes to one file, errors to a second one, audit records to a third one', async (t) => {
  const folder = folderOf(t);
  {
    await using files = open(folder);
    log.info({}, 'before the configuration was read');
    files.begin(limits);
    log.error({ err: new Error('broken') }, 'an error');
    // Records are kept whatever the levels of loggers are.
    configureLog({ level: 'silent', format: 'json' });
    const event = { actor: 'ada', tenant: 'carbon.super', action: 'enabled', target: 'api_trace:Orders' } as const;
    createAudit({ clock: createTestClock(), sink: files.audit }).record({
      ...event,
      outcome: 'success',
      type: 'api_trace',
      info: { apiName: 'Orders' },
    });
  }
  log.info({}, 'afterwards');
  assert.deepEqual(messages(folder, 'wso2carbon.log'), ['before the configuration was read', 'an error']);
  assert.deepEqual(messages(folder, 'wso2error.log'), ['an error']);
  const { performedBy, action, type, info } = JSON.parse(readFileSync(join(folder, 'audit.log'), 'utf8')) as Record<
    string,
    unknown
  >;
  assert.deepEqual([performedBy, action, type, info], ['ada', 'enabled', 'api_trace', '{"apiName":"Orders"}']);
  assert.equal(statSync(join(folder, 'audit.log')).mode & 0o77, 0, 'nobody else reads the audit');
});

test('files that nobody wants, or that nothing is written to, are not made', async (t) => {
  const folder = folderOf(t);
  {
    await using _unwanted = open(folder);
    log.info({}, 'held and forgotten');
  }
  {
    await using files = open(folder);
    files.begin(limits);
    configureLog({ level: 'silent', format: 'json' });
    log.error({}, 'silent');
  }
  assert.equal(existsSync(folder), false);
});

test('a full file is put aside, and the oldest ones go', async (t) => {
  const folder = folderOf(t);
  const clock = createTestClock(new Date(2026, 2, 1, 12).getTime());
  for (let round = 1; round <= 6; round++) {
    const files = open(folder, clock);
    files.begin({ size: 50, files: 3 });
    log.info({ round }, 'a line that is longer than the limit');
    await files[Symbol.asyncDispose]();
    utimesSync(join(folder, 'wso2carbon.log'), clock.now() / 1000, clock.now() / 1000);
  }
  const names = readdirSync(folder).sort();
  const full = [3, 4, 5].map((number) => `wso2carbon-2026-03-01.${number}.log`);
  assert.deepEqual(names, [...full, 'wso2carbon.log']);
});

test('a file of another day is put aside', async (t) => {
  const folder = folderOf(t);
  const clock = createTestClock(new Date(2026, 2, 1, 23).getTime());
  const write = async (text: string): Promise<void> => {
    await using files = open(folder, clock);
    files.begin(limits);
    log.info({}, text);
  };
  await write('yesterday');
  utimesSync(join(folder, 'wso2carbon.log'), clock.now() / 1000, clock.now() / 1000);
  clock.advance(2 * 3_600_000);
  await write('today');
  assert.deepEqual(messages(folder, 'wso2carbon-2026-03-01.1.log'), ['yesterday']);
  assert.deepEqual(messages(folder, 'wso2carbon.log'), ['today']);
});

test('a process that does not put files aside follows the one that does', async (t) => {
  const folder = folderOf(t);
  const worker = open(folder, createTestClock(), false);
  worker.begin({ size: 1, files: 3 });
  log.info({}, 'first');
  await worker[Symbol.asyncDispose]();
  const other = open(folder, createTestClock(), false);
  other.begin({ size: 1, files: 3 });
  log.info({}, 'second');
  await other[Symbol.asyncDispose]();
  assert.deepEqual(readdirSync(folder), ['wso2carbon.log']);
  assert.deepEqual(messages(folder, 'wso2carbon.log'), ['first', 'second']);
});

test('what cannot be written is told once, and again when it can be', async (t) => {
  const folder = folderOf(t);
  writeFileSync(folder, 'a file where the folder should be');
  const clock = createTestClock();
  const files = open(folder, clock);
  files.begin(limits);
  log.error({}, 'lost');
  const tellings = (): string[] => told.filter(({ level }) => level === 'warn').map(({ msg }) => msg);
  while (tellings().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  log.error({}, 'lost too');
  rmSync(folder);
  await files[Symbol.asyncDispose]();
  assert.deepEqual(
    tellings().filter((text) => text.includes('cannot')),
    ['log files cannot be written; standard output has every line'],
  );
  assert.ok(messages(folder, 'wso2carbon.log').includes('lost too'));
  assert.match(tellings().at(-1) ?? '', /are written again/);
  assert.ok((told.at(-1)?.lines ?? 0) >= 1, 'it says how many lines are missing');
});

const crash = `
import { createLogFiles } from ${JSON.stringify(join(import.meta.dirname, 'log-files.ts'))};
import { getLogger } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))};
const [folder, end] = process.argv.slice(1);
const files = createLogFiles({ folder, rotates: false });
files.begin({ size: 1e9, files: 1 });
for (let index = 0; index < 5000; index++) getLogger('test').info({ index, text: 'x'.repeat(200) }, 'line of ' + process.pid);
if (end === 'throw') setTimeout(() => { throw new Error('nobody catches this'); });
else if (end === 'exit') setTimeout(() => process.exit(0));
else await files[Symbol.asyncDispose]();
`;

for (const end of ['throw', 'exit', 'dispose']) {
  test(`nothing is lost at the end of a process: ${end}`, (t) => {
    const folder = folderOf(t);
    // Standard output is not read: lines are not allowed to depend on it.
    const args = ['--input-type=module', '--eval', crash, folder, end];
    spawnSync(process.execPath, args, { stdio: 'ignore' });
    const all = messages(folder, 'wso2carbon.log');
    assert.equal(all.filter((text) => text.startsWith('line of')).length, 5000);
    if (end === 'throw') assert.equal(messages(folder, 'wso2error.log').length, 1, 'the crash itself is in the file');
  });
}
