import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Load, Measured } from './load.ts';
import { coreOf } from './machine.ts';
import { pinned } from './process.ts';

const run = promisify(execFile);
/** Requests that are under way on a connection at the same time. */
const streams = 4;

/** Sends the request over HTTP/2, by `h2load`: as many streams together as `load` says connections. */
export async function sendStreams({ url, connections, seconds }: Load, folder: string): Promise<Measured> {
  const log = join(folder, 'streams.log');
  rmSync(log, { force: true });
  const clients = String(Math.max(1, Math.round(connections / streams)));
  const args = ['-c', clients, '-m', String(streams), '-D', String(seconds), '--log-file', log, url];
  const [file = '', ...rest] = pinned(coreOf('load'), ['h2load', ...args]);
  const { stdout } = await run(file, rest);
  // A line for each request: when it began, its status, its microseconds.
  const answers = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('\t').map(Number));
  const times = answers.map(([, , time = 0]) => time).sort((left, right) => left - right);
  const failed = /(\d+) failed, (\d+) errored, (\d+) timeout/.exec(stdout)?.slice(1) ?? [];
  return {
    requests: answers.length,
    seconds,
    p50: times[Math.floor(times.length * 0.5)] ?? 0,
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
    errors: answers.filter(([, status = 0]) => status < 200 || status > 399).length + Number(failed[1] ?? 0),
  };
}
